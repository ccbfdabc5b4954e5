/**
 * Rules of a country that its authority does not send. They do not include tax rates, which come from the authority or from the
 * shop's file. Every value names how and from where we know it (protocol facts, section 11).
 */
import type { NumberForm } from "../journal/layout.js";
import type { ReceiptLanguage } from "../language.js";

/**
 * As in the table at the beginning of docs/protocol.md. `V`: recomputed from real data. `T`: seen in real traffic. `O`: one third party has described it. `?`: a guess, without proof.
 */
export type Grade = "V" | "T" | "O" | "?";

export interface Graded<T> {
  readonly value: T;
  readonly grade: Grade;
  /** A heading in docs/protocol.md. */
  readonly source: string;
}

export const COUNTRY_IDS = ["rs", "ba-rs", "fj", "ws"] as const;
export type CountryId = (typeof COUNTRY_IDS)[number];

/** Countries that the emulator can show. */
export const PREVIEWS = ["rs", "ba-rs", "fj"] as const satisfies readonly CountryId[];
export type Preview = (typeof PREVIEWS)[number];

/** An absent value is not known at all. */
export interface Country {
  readonly id: CountryId;
  /** In English. */
  readonly name: string;
  /** Two capital letters: `C` in the card's certificate, and `country` of the environment. */
  readonly code: Graded<string>;
  /** IANA name; used if the authority names no time zone that we know. */
  readonly timeZone: Graded<string>;
  /** Days after which a receipt must have reached the authority. */
  readonly receiptDays?: Graded<number>;
  /** Columns of a receipt. */
  readonly columns?: Graded<number>;
  /** How receipts write numbers and times, in every language. */
  readonly numberForm?: Graded<NumberForm>;
  /** Languages whose words on the receipt we print; the first is the default. */
  readonly languages?: Graded<readonly ReceiptLanguage[]>;
  /** Hosts of the authority. A verification URL begins with one of them. */
  readonly hosts?: Graded<readonly string[]>;
  /** A regular expression for the TIN in a card's certificate. */
  readonly tin?: Graded<string>;
  /** The two codes of a maker, at the beginning of `mrc`: the codes of the authority's own device, as an example of the form. */
  readonly makerCodes?: Graded<string>;
  /** Whether packages must be encrypted while they are on the device. */
  readonly encryptedPackages?: Graded<boolean>;
  /**
   * Whether a new card may sell only after the sales of the old card are proven. No country is known to have this rule, so it is
   * not in {@link COUNTRY_FACTS}.
   */
  readonly newCardWaits?: Graded<boolean>;
}

/** The parts of a country that have a grade. */
export type CountryFact = Exclude<keyof Country, "id" | "name" | "newCardWaits">;

export const COUNTRY_FACTS = [
  "code",
  "timeZone",
  "receiptDays",
  "columns",
  "numberForm",
  "languages",
  "hosts",
  "tin",
  "makerCodes",
  "encryptedPackages",
] as const satisfies readonly CountryFact[];

/** Values that receipts and sales depend on, and that have no proof. @returns their names, such as `columns` */
export function unprovenFacts(country: Country): CountryFact[] {
  return COUNTRY_FACTS.filter((fact) => country[fact]?.grade === "?");
}

/** @returns names of the facts that have no value */
export function unknownFacts(country: Country): CountryFact[] {
  return COUNTRY_FACTS.filter((fact) => country[fact] === undefined);
}
