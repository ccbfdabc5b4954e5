/** Why a request is refused: codes of the catalogue, each at its property. */
import { describeCode, type ErrorCode } from "../fiscal/codes.js";

/** Maximum number of errors in one answer: people do not read more, and an answer must not be a hundred times its request. */
export const MOST_VIOLATIONS = 100;

export interface Violation {
  /** `items[0].labels[1]`; "" for the request as a whole. */
  readonly property: string;
  readonly code: ErrorCode;
  /** What is wrong and what is expected. */
  readonly message: string;
}

export class FiscalError extends Error {
  override readonly name = "FiscalError";
  /** The first code. */
  readonly code: ErrorCode;

  constructor(readonly violations: readonly [Violation, ...Violation[]]) {
    super(violations.map(({ message }) => message).join("; "));
    this.code = violations[0].code;
  }

  static of(code: ErrorCode, property = "", message: string = describeCode(code).meaning): FiscalError {
    return new FiscalError([{ code, property, message }]);
  }
}
