/** Facts about Serbia. */
import type { Country } from "./country.js";

export const SERBIA: Country = {
  id: "rs",
  name: "Serbia",
  code: { value: "RS", grade: "T", source: "Codes" },
  timeZone: { value: "Europe/Belgrade", grade: "T", source: "Time zones" },
  receiptDays: { value: 5, grade: "O", source: "Days" },
  columns: { value: 40, grade: "V", source: "Columns and numbers" },
  languages: { value: ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"], grade: "T", source: "Languages" },
  hosts: { value: ["suf.purs.gov.rs", "sandbox.suf.purs.gov.rs"], grade: "V", source: "Hosts" },
  tin: { value: "^(RS)?\\d{9}$", grade: "V", source: "TIN" },
  makerCodes: { value: "00-1002", grade: "T", source: "Maker codes" },
  requiredFields: { value: [], grade: "M", source: "Required fields" },
  encryptedPackages: { value: false, grade: "O", source: "Packages on the disk" },
};
