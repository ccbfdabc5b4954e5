/** Facts about Republika Srpska, in Bosnia and Herzegovina, for a preview for developers of a POS. */
import type { Country } from "./country.js";

export const REPUBLIKA_SRPSKA: Country = {
  id: "ba-rs",
  name: "Republika Srpska",
  code: { value: "BA", grade: "?", source: "Codes" },
  timeZone: { value: "Europe/Sarajevo", grade: "?", source: "Time zones" },
  receiptDays: { value: 5, grade: "?", source: "Days" },
  columns: { value: 38, grade: "O", source: "Columns and numbers" },
  numberForm: { value: "comma", grade: "?", source: "Columns and numbers" },
  languages: { value: ["sr-Cyrl-RS", "sr-Latn-RS"], grade: "?", source: "Languages" },
};
