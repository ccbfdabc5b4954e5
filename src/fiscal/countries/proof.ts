/** Says in words which values of a country have no proof. */
import { countryOf } from "./countries.js";
import { type CountryFact, unknownFacts, unprovenFacts } from "./country.js";

/** Names of the facts in English, for commands. */
const NAMES: Readonly<Record<CountryFact, string>> = {
  code: "country code",
  timeZone: "time zone",
  receiptDays: "days until receipts must reach the authority",
  columns: "columns of a receipt",
  languages: "languages",
  hosts: "hosts of the authority",
  tin: "form of the TIN",
  makerCodes: "maker codes",
  requiredFields: "required fields",
  encryptedPackages: "encryption of packages",
};

/**
 * @returns facts that tillseal uses although they have no proof. Does not include facts without a value. Empty for
 * unknown countries
 */
export function unprovenOf(code: string): readonly CountryFact[] {
  const country = countryOf(code);
  return country ? unprovenFacts(country) : [];
}

/**
 * @param code code of the environment's country
 * @returns `proven`: whether every value has a source; `text`: one line that says so in words
 */
export function proofOf(code: string): { readonly proven: boolean; readonly text: string } {
  const country = countryOf(code);
  if (!country) {
    const text = `tillseal knows nothing about ${code}: receipts have 40 columns`;
    return { proven: false, text };
  }
  const unproven = unprovenFacts(country).map((fact) => `${NAMES[fact]} (${shown(country[fact]?.value)})`);
  const unknown = unknownFacts(country).map((fact) => NAMES[fact]);
  if (unproven.length + unknown.length === 0)
    return { proven: true, text: `${country.name}: every value has a source` };
  const parts = [
    ...(unproven.length > 0 ? [`unproven: ${unproven.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`not known: ${unknown.join(", ")}`] : []),
  ];
  return { proven: false, text: `${country.name} is a preview; ${parts.join("; ")}` };
}

function shown(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}
