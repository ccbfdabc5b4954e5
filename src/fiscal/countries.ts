/**
 * Rules of countries that their authorities do not send. These rules do not include tax rates, which come from the
 * authority or from the shop's file. Every value has a grade; section 11 of the protocol facts has its source.
 */
import type { Columns, NumberForm, ReceiptForm } from "./journal/layout.js";
import type { ReceiptLanguage } from "./language.js";

/**
 * How sure we are of a value, as in the table at the beginning of docs/protocol.md. `V`: recomputed from real data.
 * `M`: the vendor's manual says so. `T`: seen in real traffic. `O`: one third party has described the value. `?`: a
 * guess, without proof.
 */
type Grade = "V" | "M" | "T" | "O" | "?";

interface Graded<T> {
  readonly value: T;
  readonly grade: Grade;
}

/** Fields of an invoice or an item that some countries require. */
export type RequiredField = "cashier" | "gtin";

/** Countries that the emulator can show. */
export const PREVIEWS = ["rs", "ba-rs", "fj", "vu"] as const;
export type Preview = (typeof PREVIEWS)[number];

/** Facts about a country. An absent value is unknown. */
interface Country {
  /** Name of the country in English. */
  readonly name: string;
  /** Two capital letters: `C` in the card's certificate, and `country` of the environment. */
  readonly code: Graded<string>;
  /** IANA's name of the time zone. The service uses it if the authority names no known time zone. */
  readonly timeZone: Graded<string>;
  /** Number of days within which a receipt must reach the authority. */
  readonly receiptDays?: Graded<number>;
  readonly columns?: Graded<Columns>;
  /** Languages whose words on the receipt we print; the first is the default. */
  readonly languages?: Graded<readonly ReceiptLanguage[]>;
  /** Hosts of the authority. A verification URL has one of these hosts. */
  readonly hosts?: Graded<readonly string[]>;
  /** A regular expression for the TIN in a card's certificate. */
  readonly tin?: Graded<string>;
  /** The two codes of a maker, at the beginning of `mrc`. These codes of the authority's own device are an example. */
  readonly makerCodes?: Graded<string>;
  /** Fields that the authority requires although the interface does not. The service takes invoices without them. */
  readonly requiredFields?: Graded<readonly RequiredField[]>;
  /** Whether packages must be encrypted while they are on the device. */
  readonly encryptedPackages?: Graded<boolean>;
}

export type CountryFact = Exclude<keyof Country, "name">;

/** The facts, each with its name in English, and the heading in docs/protocol.md that has the source of its values. */
export const COUNTRY_FACTS: Readonly<Record<CountryFact, { readonly name: string; readonly source: string }>> = {
  code: { name: "country code", source: "Codes" },
  timeZone: { name: "time zone", source: "Time zones" },
  receiptDays: { name: "days until receipts must reach the authority", source: "Days" },
  columns: { name: "columns of a receipt", source: "Columns and numbers" },
  languages: { name: "languages", source: "Languages" },
  hosts: { name: "hosts of the authority", source: "Hosts" },
  tin: { name: "form of the TIN", source: "TIN" },
  makerCodes: { name: "maker codes", source: "Maker codes" },
  requiredFields: { name: "required fields", source: "Required fields" },
  encryptedPackages: { name: "encryption of packages", source: "Packages on the disk" },
};
export const COUNTRY_FACT_NAMES = Object.keys(COUNTRY_FACTS) as CountryFact[];

export const COUNTRIES: Readonly<Record<string, Country>> = {
  rs: {
    name: "Serbia",
    code: { value: "RS", grade: "T" },
    timeZone: { value: "Europe/Belgrade", grade: "T" },
    receiptDays: { value: 5, grade: "O" },
    columns: { value: 40, grade: "V" },
    languages: { value: ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"], grade: "T" },
    hosts: { value: ["suf.purs.gov.rs", "sandbox.suf.purs.gov.rs"], grade: "V" },
    tin: { value: "^(RS)?\\d{9}$", grade: "V" },
    makerCodes: { value: "00-1002", grade: "T" },
    requiredFields: { value: [], grade: "M" },
    encryptedPackages: { value: false, grade: "O" },
  },
  /** In Bosnia and Herzegovina. The preview prints as its devices do. */
  "ba-rs": {
    name: "Republika Srpska",
    code: { value: "BA", grade: "?" },
    timeZone: { value: "Europe/Sarajevo", grade: "V" },
    receiptDays: { value: 5, grade: "?" },
    columns: { value: 38, grade: "V" },
    languages: { value: ["sr-Cyrl-RS"], grade: "V" },
    hosts: { value: ["suf.poreskaupravars.org"], grade: "T" },
    tin: { value: "^\\d{13}$", grade: "V" },
    makerCodes: { value: "01-0001", grade: "T" },
    requiredFields: { value: ["gtin"], grade: "M" },
  },
  fj: {
    name: "Fiji",
    code: { value: "FJ", grade: "?" },
    timeZone: { value: "Pacific/Fiji", grade: "T" },
    receiptDays: { value: 5, grade: "?" },
    columns: { value: 40, grade: "?" },
    languages: { value: ["en-US"], grade: "?" },
    hosts: { value: ["staging.vms.frcs.org.fj"], grade: "V" },
    requiredFields: { value: ["cashier"], grade: "M" },
    encryptedPackages: { value: true, grade: "O" },
  },
  ws: {
    name: "Samoa",
    code: { value: "WS", grade: "?" },
    timeZone: { value: "Pacific/Apia", grade: "T" },
    requiredFields: { value: ["cashier"], grade: "M" },
  },
  vu: {
    name: "Vanuatu",
    code: { value: "VU", grade: "?" },
    timeZone: { value: "Pacific/Efate", grade: "?" },
    columns: { value: 40, grade: "?" },
    languages: { value: ["en-US"], grade: "?" },
    requiredFields: { value: ["cashier"], grade: "M" },
  },
};

const BY_CODE = new Map(Object.values(COUNTRIES).map((country) => [country.code.value, country]));

/** @param code `C` in the card's certificate, or `country` of the environment @returns undefined if it is unknown */
export function countryOf(code: string): Country | undefined {
  return BY_CODE.get(code.trim().toUpperCase());
}

/**
 * @param code code of the environment's country @param numberForm the setting; undefined for that of the language
 * @returns undefined for the usual form of the language
 */
export function receiptFormOf(code: string, numberForm: NumberForm | undefined): ReceiptForm | undefined {
  const columns = countryOf(code)?.columns?.value ?? 40;
  return columns === 40 && numberForm === undefined ? undefined : { columns, numberForm };
}

/** Returns the facts that tillseal uses although they have no proof; none for unknown countries. */
export function unprovenOf(code: string): readonly CountryFact[] {
  const country = countryOf(code);
  return COUNTRY_FACT_NAMES.filter((fact) => country?.[fact]?.grade === "?");
}

/** @param code of the environment's country @returns `proven`: whether every value has a source; `text` says so */
export function proofOf(code: string): { readonly proven: boolean; readonly text: string } {
  const country = countryOf(code);
  if (!country) return { proven: false, text: `tillseal knows nothing about ${code}: receipts have 40 columns` };
  const unproven = unprovenOf(code).map(
    (fact) => `${COUNTRY_FACTS[fact].name} (${[country[fact]?.value].flat().join(", ")})`,
  );
  const unknown = COUNTRY_FACT_NAMES.filter((fact) => !country[fact]).map((fact) => COUNTRY_FACTS[fact].name);
  if (unproven.length + unknown.length === 0)
    return { proven: true, text: `${country.name}: every value has a source` };
  const parts = [
    ...(unproven.length > 0 ? [`unproven: ${unproven.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`not known: ${unknown.join(", ")}`] : []),
  ];
  return { proven: false, text: `${country.name} is a preview; ${parts.join("; ")}` };
}
