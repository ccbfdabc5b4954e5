/** Facts about Fiji, for a preview for developers of a POS. */
import type { Country } from "./country.js";

export const FIJI: Country = {
  id: "fj",
  name: "Fiji",
  code: { value: "FJ", grade: "?", source: "Codes" },
  timeZone: { value: "Pacific/Fiji", grade: "T", source: "Time zones" },
  receiptDays: { value: 5, grade: "?", source: "Days" },
  columns: { value: 40, grade: "?", source: "Columns and numbers" },
  languages: { value: ["en-US"], grade: "?", source: "Languages" },
  hosts: { value: ["staging.vms.frcs.org.fj"], grade: "V", source: "Hosts" },
  requiredFields: { value: ["cashier"], grade: "M", source: "Required fields" },
  encryptedPackages: { value: true, grade: "O", source: "Packages on the disk" },
};
