/** One thing about a till that a person must know. Only types: the console's code imports this file too. */
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import type { FindingKey } from "./texts/english.js";

/** A general status code, or our own (specification, "Status record"). */
export type FindingCode = FiscalCode | `9${string}`;

/**
 * `stops`: the next sale is refused. `waits`: the next sale is refused until a person has done something that belongs to
 * every day, such as entering the PIN. `warns`: the till sells.
 */
export type Severity = "stops" | "waits" | "warns";

/** What a finding is about; the doctor has a line for each. */
export type Part =
  | "reader"
  | "card"
  | "PIN"
  | "certificate"
  | "issuer"
  | "limit"
  | "audit packages"
  | "authority key"
  | "tax rates"
  | "clock"
  | "disk"
  | "store"
  | "reports"
  | "sales in doubt";

/** What a person does about it. */
export type Action =
  | "insert-card"
  | "enter-pin"
  | "audit"
  | "settle"
  | "confirm"
  | "free-space"
  | "set-clock"
  | "configure"
  | "ask-authority"
  | "call-technician"
  | "wait";

/** Values for the `{names}` in a finding's texts. */
export type FindingValues = Readonly<Record<string, string | number>>;

export interface Finding {
  /** Also the key of its texts. */
  readonly key: FindingKey;
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly affects: Part;
  readonly action: Action;
  /** The code that the next sale gets; null if it would be signed. */
  readonly refusal: ErrorCode | null;
  readonly values: FindingValues;
}

/** The texts of a finding. People read the first finding with its advice, and the sentences of the others. */
export interface FindingText {
  readonly sentence: string;
  /** What a shopkeeper does. */
  readonly advice: string;
  /** Commands and files, for technicians. */
  readonly technicians?: string;
}
