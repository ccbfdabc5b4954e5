/**
 * A session is one run of the suite against one service. It has what the suite knows about the service, and the cases
 * so far.
 */

import type { EpochMs } from "../../src/base/epoch-ms.js";
import { messageOf } from "../../src/base/thrown.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { isPinPath, maskedBody } from "../../src/http/traffic/mask.js";
import type { CertificateIdentity } from "../../src/secure-element/certificate.js";
import type { HttpAnswer, HttpRequest } from "../scenario/http-call.js";
import { type Difference, differences } from "../scenario/match.js";
import type { Exchange } from "../scenario/play.js";
import type { Stage } from "../scenario/stage.js";
import { AnswerForm } from "./answer-form.js";
import { type Area, type Case, type Deviation, NotTested } from "./case.js";
import { type Known, knownFrom } from "./known.js";

export interface SessionOptions {
  readonly stage: Stage;
  readonly certificate: CertificateIdentity | undefined;
  /**
   * Whether the service is an authority's online service. It has no card and no PIN, and another element signs
   * (protocol facts, section 10).
   */
  readonly online: boolean;
  readonly ended: (done: Case) => void;
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
  readonly cases: Case[] = [];
  known: Known = knownFrom(undefined, undefined);
  /** The time that the service's status shows. */
  now: EpochMs = 0;
  /**
   * Why the session sends nothing more, for example because the PIN was refused. Undefined while the session may send.
   */
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
  ): Promise<Case> {
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
      if (error instanceof NotTested) reason = message;
      else if (error instanceof Error && !(error instanceof FiscalError)) {
        tools.deviate([{ path: "", expected: "an answer", actual: message }]);
      } else throw error;
    }
    return this.end({ area, title, acceptance, deviations: noted, ms: performance.now() - began, reason });
  }

  /** Ends the run with a case about the form of all answers: each rule of the OpenAPI document that answers broke. */
  judgeForm(): Case {
    const { deviations, notes, isEmpty } = this.form;
    const reason = isEmpty ? (this.stopped ?? "no answer came") : undefined;
    const form = { area: "Answer", title: "the form of all answers", acceptance: [] } as const;
    return this.end({ ...form, deviations, notes, ms: 0, reason });
  }

  private end({ reason, ...judged }: Omit<Case, "outcome" | "reason"> & { readonly reason: string | undefined }): Case {
    const outcome = judged.deviations.length > 0 ? "failed" : reason === undefined ? "passed" : "not applicable";
    const done: Case = {
      ...judged,
      outcome,
      ...(outcome === "not applicable" && reason !== undefined ? { reason } : {}),
    };
    this.cases.push(done);
    this.options.ended(done);
    return done;
  }
}

function withoutPin(request: HttpRequest): HttpRequest {
  const { path, body } = request;
  if (!isPinPath(path) || !body) return request;
  return { ...request, body: Buffer.from(maskedBody(path, Buffer.from(body).toString("utf8"))) };
}
