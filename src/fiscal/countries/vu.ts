/** Facts about Vanuatu, for a preview for developers of a POS. */
import type { Country } from "./country.js";

export const VANUATU: Country = {
  id: "vu",
  name: "Vanuatu",
  code: { value: "VU", grade: "?", source: "Codes" },
  timeZone: { value: "Pacific/Efate", grade: "?", source: "Time zones" },
  columns: { value: 40, grade: "?", source: "Columns and numbers" },
  languages: { value: ["en-US"], grade: "?", source: "Languages" },
  requiredFields: { value: ["cashier"], grade: "M", source: "Required fields" },
};
