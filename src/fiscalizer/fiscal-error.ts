/** The refusal of a request: codes of the catalogue, each with the property that it is about. */
import { fill } from "../base/fill.js";
import { describeCode, type ErrorCode } from "../fiscal/codes.js";

/** Maximum number of errors in one answer, which must not be a hundred times as long as its request. */
export const MOST_VIOLATIONS = 100;

/** A sentence in English, with a place such as `{name}` for each value. http/serbian-details.ts has it in Serbian. */
export interface Sentence {
  readonly message: string;
  readonly values?: Readonly<Record<string, string | number | Sentence>> | undefined;
}

/** @param template gives a sentence in its language */
export function spelled({ message, values }: Sentence, template = (english: string) => english): string {
  if (!values) return template(message);
  const shown = Object.entries(values).map(([name, value]) => {
    return [name, typeof value === "object" ? spelled(value, template) : value] as const;
  });
  return fill(template(message), Object.fromEntries(shown));
}

export interface Violation extends Sentence {
  /** Name of the property with the error, such as `items[0].labels[1]`; "" for the request as a whole. */
  readonly property: string;
  readonly code: ErrorCode;
}

export class FiscalError extends Error {
  override readonly name = "FiscalError";
  /** Code of the first violation. */
  readonly code: ErrorCode;

  /** @param final whether a repeat gets this answer for ever: a POS gives the sale a new RequestId */
  constructor(
    readonly violations: readonly [Violation, ...Violation[]],
    readonly final = false,
  ) {
    super(violations.map((violation) => spelled(violation)).join("; "));
    this.code = violations[0].code;
  }

  static of(
    code: ErrorCode,
    property = "",
    message: string = describeCode(code).meaning,
    values?: Sentence["values"],
  ): FiscalError {
    return new FiscalError([{ code, property, message, values }]);
  }
}
