/**
 * Rules of a country that its authority does not send. These rules do not include tax rates, which come from the
 * authority or from the shop's file. Every value has a grade and a source (protocol facts, section 11).
 */
import type { Columns } from "../journal/layout.js";
import type { ReceiptLanguage } from "../language.js";

/**
 * How sure we are of a value, as in the table at the beginning of docs/protocol.md. `V`: recomputed from real data.
 * `M`: the vendor's manual says so. `T`: seen in real traffic. `O`: one third party has described the value. `?`: a
 * guess, without proof.
 */
export type Grade = "V" | "M" | "T" | "O" | "?";

export interface Graded<T> {
  readonly value: T;
  readonly grade: Grade;
  /** Heading in docs/protocol.md that describes the source of the value. */
  readonly source: string;
}

/** Fields of an invoice or an item that some countries require. */
export type RequiredField = "cashier" | "gtin";

export type CountryId = "rs" | "ba-rs" | "fj" | "ws" | "vu";

/** Countries that the emulator can show. */
export const PREVIEWS = ["rs", "ba-rs", "fj", "vu"] as const satisfies readonly CountryId[];
export type Preview = (typeof PREVIEWS)[number];

/** Facts about a country. An absent value is unknown. */
export interface Country {
  readonly id: CountryId;
  /** Name of the country in English. */
  readonly name: string;
  /** Two capital letters: `C` in the card's certificate, and `country` of the environment. */
  readonly code: Graded<string>;
  /** IANA's name of the time zone. The service uses it if the authority names no known time zone. */
  readonly timeZone: Graded<string>;
  /** Number of days within which a receipt must reach the authority. */
  readonly receiptDays?: Graded<number>;
  /** Number of columns of a receipt. */
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

/** The parts of a country that have a grade. */
export type CountryFact = Exclude<keyof Country, "id" | "name">;

export const COUNTRY_FACTS = [
  "code",
  "timeZone",
  "receiptDays",
  "columns",
  "languages",
  "hosts",
  "tin",
  "makerCodes",
  "requiredFields",
  "encryptedPackages",
] as const satisfies readonly CountryFact[];

/** @returns names of the facts that have a value but no proof, such as `columns` */
export function unprovenFacts(country: Country): CountryFact[] {
  return COUNTRY_FACTS.filter((fact) => country[fact]?.grade === "?");
}

/** @returns names of the facts that have no value */
export function unknownFacts(country: Country): CountryFact[] {
  return COUNTRY_FACTS.filter((fact) => country[fact] === undefined);
}
