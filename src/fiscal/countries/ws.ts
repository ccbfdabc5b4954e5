/** Facts about Samoa. Little is known, and there is no preview. */
import type { Country } from "./country.js";

export const SAMOA: Country = {
  id: "ws",
  name: "Samoa",
  code: { value: "WS", grade: "?", source: "Codes" },
  timeZone: { value: "Pacific/Apia", grade: "T", source: "Time zones" },
  requiredFields: { value: ["cashier"], grade: "M", source: "Required fields" },
};
