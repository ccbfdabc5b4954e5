/**
 * Compares the form of answers with the OpenAPI document. Many answers usually break the same rule, so each rule is one
 * deviation for the whole run. The specification does not show which code belongs to which error record, and deployed clients
 * read another record. So all errors in another form are one note, and each case judges the code of its error.
 */
import { type Conformance, conformanceTo } from "../scenario/conformance.js";
import type { HttpAnswer, HttpRequest } from "../scenario/http-call.js";
import { show } from "../scenario/match.js";
import type { Deviation } from "./case.js";

interface BrokenRule {
  readonly first: Deviation;
  readonly answers: number;
}

/**
 * Matches paths whose answers may have any body, because the specification does not show the bodies of attention and
 * PIN.
 */
const ANY_FORM = /\/(?:attention|pin)$/i;
const SETTINGS = { negativeItems: false, pinFailureStatus: 200, requestIdLength: 32 } as const;

export class AnswerForm {
  private readonly rules = new Map<string, BrokenRule>();
  private readonly check: Conformance;
  private count = 0;
  /** Note about the first answer with an error in another form than our error record. */
  private errorNote: string | undefined;

  /** @param isForeign whether answers may have fields that the document does not name */
  constructor(isForeign: boolean) {
    this.check = conformanceTo({ ...SETTINGS, moreFields: isForeign });
  }

  /** Checks the form of an answer. @param request without a PIN, because reports show the request */
  add(request: HttpRequest, answer: HttpAnswer): void {
    this.count += 1;
    const [path = ""] = request.path.split("?");
    if (ANY_FORM.test(path)) return;
    const lines = this.check(request, answer);
    if (lines.length === 0) return;
    const place = `${request.method} ${path.replace(/\/invoices\/.+/i, "/invoices/{requestId}")}`;
    if (answer.status >= 400) {
      this.errorNote ??= `errors have another form than the record with code, message and details; the answer ${answer.status} of ${place} was ${show(answer.text)}`;
      return;
    }
    for (const line of lines) {
      const key = `${place} ${line.replaceAll(/\[\d+\]/g, "[]")}`;
      const known = this.rules.get(key);
      const first = known?.first ?? {
        path: place,
        expected: "what the OpenAPI document describes",
        actual: line,
        exchange: { request, answer },
      };
      this.rules.set(key, { first, answers: (known?.answers ?? 0) + 1 });
    }
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get deviations(): Deviation[] {
    return [...this.rules.values()].map(({ first, answers }) =>
      answers === 1 ? first : { ...first, actual: `${first.actual} (in ${answers} answers)` },
    );
  }

  get notes(): string[] {
    return this.errorNote === undefined ? [] : [this.errorNote];
  }
}

/**
 * Finds the codes of an answer in any form: a bare code, a JSON text, an object with `code`, or the `modelState` that
 * deployed clients read. In other texts, each group of four digits counts as a code.
 */
export function codesOf({ text }: HttpAnswer): string[] {
  const body = parsed(text);
  const { code, modelState } = fields(body);
  if (typeof code === "string" && CODE.test(code)) return [code];
  const listed = Array.isArray(modelState) ? modelState.flatMap((entry) => fields(entry).errors) : [];
  const codes = listed.filter((error): error is string => typeof error === "string" && CODE.test(error));
  return codes.length > 0 ? codes : (text.match(/(?<!\d)\d{4}(?!\d)/g) ?? []);
}

const CODE = /^\d{4}$/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
