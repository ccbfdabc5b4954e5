/**
 * Compares the form of answers with the OpenAPI document. Many answers usually break the same rule, so each rule is one
 * deviation for the whole run. The suite accepts the form of the specification and that of devices, and names the one that it saw.
 * Deployed clients also read other records. So all errors in another form are one note, and each case judges the code of its
 * error.
 */
import { show } from "../../emulator/faults/match.js";
import { bareStatus, type AnswerForm as Form, refusedPinStatus } from "../../src/fiscal/answer-form.js";
import { type Conformance, conformanceTo } from "../scenario/conformance.js";
import type { HttpAnswer, HttpRequest } from "../scenario/http-call.js";
import { codesIn, fieldsOf, jsonIn } from "../scenario/json.js";
import type { Deviation } from "./case.js";

/** Paths whose answers may have any body: the specification does not show those of attention and PIN. */
const ANY_FORM = /\/(?:attention|pin)$/i;
const SETTINGS = { negativeItems: false, requestIdLength: 32 } as const;

const REFUSED_PIN: ReadonlySet<string> = new Set(["2100", "2110"]);

/** Whether a service may answer this error as a record or as a bare code. */
const hasTwoForms = (answer: HttpAnswer): boolean =>
  codesOf(answer).some((code) => bareStatus("device", code) !== undefined);

export class AnswerForm {
  private readonly rules = new Map<string, { readonly first: Deviation; readonly answers: number }>();
  private readonly checks: Readonly<Record<Form, Conformance>>;
  private readonly deployed: Conformance;
  /** For each part of the interface, the fields of deployed services that an answer did not have. */
  private readonly without = new Map<string, Set<string>>();
  /** For each part of the interface that has two forms, the forms that the suite saw. */
  private readonly seen = new Map<string, Set<string>>();
  isEmpty = true;
  /** Note about the first answer with an error in another form than our error record. */
  private errorNote: string | undefined;

  /** @param isForeign whether the service is of another maker */
  constructor(isForeign: boolean) {
    const maker = isForeign ? "specified" : "ours";
    const checkOf = (answerForm: Form) => conformanceTo({ ...SETTINGS, answerForm, maker });
    this.checks = { specification: checkOf("specification"), device: checkOf("device") };
    this.deployed = conformanceTo({ ...SETTINGS, answerForm: "specification", maker: "deployed" });
  }

  /** Checks the form of an answer. @param request without a PIN, because reports show the request */
  add(request: HttpRequest, answer: HttpAnswer): void {
    this.isEmpty = false;
    const [path = ""] = request.path.split("?");
    if (ANY_FORM.test(path)) {
      if (codesOf(answer).some((code) => REFUSED_PIN.has(code))) {
        this.note("refused PINs", answer.status === refusedPinStatus("device") ? "device" : "specification");
      }
      return;
    }
    const lines = this.checks.specification(request, answer);
    const isDevice = lines.length > 0 && this.checks.device(request, answer).length === 0;
    const form = isDevice ? "device" : "specification";
    if (answer.status >= 400 && (isDevice || lines.length === 0) && hasTwoForms(answer)) this.note("errors", form);
    if (answer.status < 300) this.notePicture(answer);
    const place = `${request.method} ${path.replace(/\/invoices\/.+/i, "/invoices/{requestId}")}`;
    for (const line of isDevice ? [] : this.deployed(request, answer)) {
      const [, name] = /^(\S+) is missing$/.exec(line) ?? [];
      if (name !== undefined && !lines.includes(line))
        this.note(answer.status < 400 ? place : "errors", name, this.without);
    }
    if (isDevice || lines.length === 0) return;
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

  get deviations(): Deviation[] {
    return [...this.rules.values()].map(({ first, answers }) =>
      answers === 1 ? first : { ...first, actual: `${first.actual} (in ${answers} answers)` },
    );
  }

  get notes(): string[] {
    const parts = [...this.seen].map(([part, forms]) => `${part} ${[...forms].sort().join(" and ")}`);
    const forms = parts.length === 0 ? [] : [`form of the answers (setting answerForm): ${parts.join(", ")}`];
    return this.errorNote === undefined ? forms : [...forms, this.errorNote];
  }

  /** Lines about what deployed services have and this one has not. */
  get missing(): string[] {
    return [...this.without].map(([place, names]) => `${place} without ${[...names].join(", ")}`);
  }

  private note(part: string, form: string, on = this.seen): void {
    on.set(part, (on.get(part) ?? new Set()).add(form));
  }

  private notePicture({ text }: HttpAnswer): void {
    const { verificationQRCode: picture } = fieldsOf(jsonIn(text));
    if (typeof picture === "string" && picture !== "") {
      this.note("QR codes", picture.startsWith("data:") ? "specification" : "device");
    }
  }
}

/**
 * Finds the codes of an answer in any form: a bare code, a JSON text, an object with `code`, or the `modelState` that
 * deployed clients read. In other texts, each group of four digits counts as a code.
 */
export function codesOf({ text }: HttpAnswer): string[] {
  const { code } = fieldsOf(jsonIn(text));
  if (typeof code === "string" && /^\d{4}$/.test(code)) return [code];
  const codes = codesIn(text);
  return codes.length > 0 ? codes : (text.match(/(?<!\d)\d{4}(?!\d)/g) ?? []);
}
