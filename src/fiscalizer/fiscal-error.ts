/** The refusal of a request: codes of the catalogue, each with the property that it is about. */
import { describeCode, type ErrorCode } from "../fiscal/codes.js";

/**
 * Maximum number of errors in one answer. People do not read more, and an answer must not be a hundred times as long as
 * its request.
 */
export const MOST_VIOLATIONS = 100;

export interface Violation {
  /** Name of the property with the error, such as `items[0].labels[1]`; "" for the request as a whole. */
  readonly property: string;
  readonly code: ErrorCode;
  /** Sentence that says what is wrong and what is expected. */
  readonly message: string;
}

export class FiscalError extends Error {
  override readonly name = "FiscalError";
  /** Code of the first violation. */
  readonly code: ErrorCode;

  constructor(readonly violations: readonly [Violation, ...Violation[]]) {
    super(violations.map(({ message }) => message).join("; "));
    this.code = violations[0].code;
  }

  static of(code: ErrorCode, property = "", message: string = describeCode(code).meaning): FiscalError {
    return new FiscalError([{ code, property, message }]);
  }
}
