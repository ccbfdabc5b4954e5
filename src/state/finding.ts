/** Describes a finding: one thing about a till that a person must know. */
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import type { FindingKey } from "./texts/english.js";

/** A general status code, or a code of our own (docs/interface.md, "Status record"). */
export type FindingCode = FiscalCode | `9${string}`;

/**
 * What a finding means for the next sale. `stops`: the sale is refused. `waits`: the sale is refused for a moment, or
 * until a person has done something that belongs to every day, such as entering the PIN. `warns`: the till sells.
 */
export type Severity = "stops" | "waits" | "warns";

/** The part of the till that a finding is about. The doctor has a line for each part. */
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

/** What a person does about a finding. */
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
  /** Key of the finding. The finding's texts have the same key. */
  readonly key: FindingKey;
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly affects: Part;
  readonly action: Action;
  /** The code with which the next sale is refused; null if the sale would be signed. */
  readonly refusal: ErrorCode | null;
  readonly values: FindingValues;
}
