/** Facts about Republika Srpska, in Bosnia and Herzegovina. The preview prints as its devices do. */
import type { Country } from "./country.js";

export const REPUBLIKA_SRPSKA: Country = {
  id: "ba-rs",
  name: "Republika Srpska",
  code: { value: "BA", grade: "?", source: "Codes" },
  timeZone: { value: "Europe/Sarajevo", grade: "V", source: "Time zones" },
  receiptDays: { value: 5, grade: "?", source: "Days" },
  columns: { value: 38, grade: "V", source: "Columns and numbers" },
  languages: { value: ["sr-Cyrl-RS"], grade: "V", source: "Languages" },
  hosts: { value: ["suf.poreskaupravars.org"], grade: "T", source: "Hosts" },
  tin: { value: "^\\d{13}$", grade: "V", source: "TIN" },
  makerCodes: { value: "01-0001", grade: "T", source: "Maker codes" },
  requiredFields: { value: ["gtin"], grade: "M", source: "Required fields" },
};
