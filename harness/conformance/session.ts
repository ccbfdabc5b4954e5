/** One run of the suite against one service: what the suite knows about the service, and the cases so far. */

import { type Difference, differences } from "../../emulator/faults/match.js";
import type { EpochMs } from "../../src/base/epoch-ms.js";
import { messageOf } from "../../src/base/thrown.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { isPinPath, maskedBody } from "../../src/http/traffic/mask.js";
import type { CertificateIdentity } from "../../src/secure-element/certificate.js";
import type { HttpAnswer, HttpRequest } from "../scenario/http-call.js";
import type { Exchange } from "../scenario/play.js";
import { shownExchange } from "../scenario/played-row.js";
import type { Row } from "../scenario/row.js";
import { NotApplicable, type Stage } from "../scenario/stage.js";
import { AnswerForm } from "./answer-form.js";
import { type Area, type Deviation, deviationText } from "./case.js";
import { type Known, knownFrom } from "./known.js";

export interface SessionOptions {
  readonly stage: Stage;
  /** Certificate of the element that signs; undefined if the user did not give it. */
  readonly certificate: CertificateIdentity | undefined;
  /** An authority's online service has no card and no PIN, and another element signs (protocol facts, section 10). */
  readonly online: boolean;
  readonly ended: (row: Row) => void;
}

/** What a case uses to send requests and to compare their answers. */
export interface CaseTools {
  /** Sends a request. @throws Error if no complete answer came */
  call(request: HttpRequest): Promise<HttpAnswer>;
  /** The last exchange. Later deviations of the case are reported with it. */
  exchange: Exchange | undefined;
  /** Compares a value with the expected value (scenario/match), and notes the differences. */
  expect(expected: unknown, actual: unknown): void;
  deviate(deviations: readonly Difference[]): void;
}

const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: "GET",
  path: API_PREFIX + path,
  headers: { Accept: "application/json", ...headers },
});

export const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: "POST",
  path: API_PREFIX + path,
  headers: { ...JSON_HEADERS, ...headers },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

export class Session {
  readonly cases: Row[] = [];
  known: Known = knownFrom(undefined, undefined);
  now: EpochMs = 0;
  /** Why the session sends nothing more, such as a refused PIN; undefined while it may send. */
  stopped: string | undefined;
  private readonly form: AnswerForm;

  constructor(readonly options: SessionOptions) {
    this.form = new AnswerForm(options.stage.foreign);
  }

  /** Runs one case and records its outcome, even if the case throws an error other than FiscalError. */
  async case(
    area: Area,
    title: string,
    acceptance: readonly string[],
    run: (tools: CaseTools) => Promise<void> | void,
  ): Promise<Row> {
    const began = performance.now();
    const noted: Deviation[] = [];
    const tools: CaseTools = {
      exchange: undefined,
      call: async (sent) => {
        const request = withoutPin(sent);
        tools.exchange = { request, answer: undefined };
        const answer = await this.options.stage.call(sent);
        tools.exchange = { request, answer };
        if (!answer) throw new Error("the connection broke before an answer came");
        this.form.add(request, answer);
        return answer;
      },
      expect: (expected, actual) => tools.deviate(differences(expected, actual)),
      deviate: (deviations) => {
        const { exchange } = tools;
        noted.push(...deviations.map((one) => ({ ...one, ...(exchange ? { exchange } : {}) })));
      },
    };
    let reason = this.stopped;
    try {
      if (reason === undefined) await run(tools);
    } catch (error) {
      const message = messageOf(error);
      if (error instanceof NotApplicable) reason = message;
      else if (error instanceof Error && !(error instanceof FiscalError)) {
        tools.deviate([{ path: "", expected: "an answer", actual: message }]);
      } else throw error;
    }
    const text = acceptance.length === 0 ? title : `${title} (${acceptance.join(", ")})`;
    return this.end(area, text, noted, [], reason, performance.now() - began);
  }

  /** Ends the run with each rule of the OpenAPI document that answers broke, and with what only deployed services have. */
  judgeForm(): void {
    const { deviations, notes, isEmpty, missing } = this.form;
    const reason = isEmpty ? (this.stopped ?? "no answer came") : undefined;
    this.end("Answer", "the form of all answers", deviations, notes, reason, 0);
    for (const line of missing) this.end("Answer", "what deployed services also have", [], [], line, 0);
  }

  private end(
    area: Area,
    text: string,
    deviations: readonly Deviation[],
    notes: readonly string[],
    reason: string | undefined,
    ms: number,
  ): Row {
    const [first] = deviations;
    const note = notes.length === 0 ? {} : { note: notes.join("\n") };
    const result = first
      ? ({ outcome: "failed", why: { wrong: deviations.map(deviationText).join("\n"), ...note } } as const)
      : reason === undefined
        ? ({ outcome: "passed", why: note } as const)
        : ({ outcome: "not applicable", why: { ...note, reason } } as const);
    const row: Row = {
      id: area,
      text,
      ...result,
      exchange: first?.exchange ? [shownExchange(first.exchange)] : [],
      ms,
    };
    this.cases.push(row);
    this.options.ended(row);
    return row;
  }
}

function withoutPin(request: HttpRequest): HttpRequest {
  const { path, body } = request;
  if (!isPinPath(path) || !body) return request;
  return { ...request, body: Buffer.from(maskedBody(path, Buffer.from(body).toString("utf8"))) };
}
