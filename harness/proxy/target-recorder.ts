/** Records traffic through the proxy as a scenario, with what happened to the real card between the requests. */

import type { Given } from "../../emulator/world/given.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { Recording } from "../control/recording.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import { ExchangeRecorder } from "../scenario/recorded-exchange.js";
import type { RequestStep, WrittenStep } from "../scenario/scenario.js";
import { pinOf } from "../scenario/scenario-text.js";
import { PROXY_HEADER } from "./proxy-app.js";
import { isSalePath } from "./proxy-fault.js";
import {
  type AnswerParts,
  codesOf,
  endpointOf,
  isBareCode,
  portableAnswer,
  type TargetEndpoint,
} from "./target-answer.js";
import type { TypedPins } from "./typed-pins.js";

export interface TargetRecorderOptions {
  readonly file: string;
  readonly given: Given;
  readonly pins: TypedPins;
  readonly online: boolean;
  readonly failed: (reason: string) => void;
}

export class TargetRecorder {
  private given: Given;
  private readonly recording: Recording;
  private readonly exchanges: ExchangeRecorder;
  private readonly groups: ReadonlySet<number>;
  private readonly card: { inserted: boolean; verified: boolean; locked: boolean };
  /** Whether the emulated online service loses answers at this point of the recording. */
  private loses = false;
  /** Number of exchanges that are missing in the file, by reason. */
  readonly leftOut = new Map<string, number>();

  constructor(private readonly options: TargetRecorderOptions) {
    const { given, file, failed } = options;
    this.given = given;
    const { inserted = true, pinVerified = false } = given.card ?? {};
    this.card = { inserted, verified: pinVerified, locked: false };
    const { taxRates = [] } = fieldsOf(given.environment) as { taxRates?: readonly { groupId: number }[] };
    this.groups = new Set(taxRates.map(({ groupId }) => groupId));
    this.exchanges = new ExchangeRecorder(pinOf(given));
    this.recording = new Recording(file, () => this.given, failed);
  }

  follow(traffic: TrafficLog): void {
    traffic.on("entry", (entry, body) => this.take(entry, body));
  }

  private take(entry: TrafficEntry, body: Buffer): void {
    const endpoint = endpointOf(entry.path);
    const reason = this.whyNot(entry, endpoint);
    if (reason !== undefined || !endpoint) {
      const why = reason ?? "not of the interface";
      this.leftOut.set(why, (this.leftOut.get(why) ?? 0) + 1);
      return;
    }
    const answer = { status: entry.status, text: entry.answer };
    this.learn(entry, endpoint, answer);
    this.recording.steps([...this.before(endpoint, answer), this.step(entry, body, endpoint, answer)]);
    if (endpoint === "pin") this.card.verified = codesOf(answer).includes("0100");
  }

  private whyNot(entry: TrafficEntry, endpoint: TargetEndpoint | undefined): string | undefined {
    const { status, method, headers, answerHeaders } = entry;
    if (!endpoint) return "not of the interface";
    if (status === 0) return isSalePath(entry) ? undefined : "answers that a fault has cut off";
    if (answerHeaders[PROXY_HEADER] !== undefined) return "answers of the proxy itself";
    if (!isPlain(headers["content-encoding"]) || !isPlain(answerHeaders["content-encoding"])) return "compressed";
    if (status === 403 || status === 503) return "refused with 403 or 503";
    if (method === "HEAD" || method === "OPTIONS") return `${method} requests`;
    if (this.options.online && status === 401) return "refused with 401, such as a wrong PAC";
    // We leave out refused test invoices, because no answer shows whether test invoices are switched on.
    return endpoint === "test-invoice" && status >= 400 ? "refused test invoices" : undefined;
  }

  private step(entry: TrafficEntry, body: Buffer, endpoint: TargetEndpoint, answer: AnswerParts): WrittenStep {
    const { request, answer: recorded } = this.exchanges.step(entry, body) as RequestStep;
    const { pins } = this.options;
    // We leave out the headers of the page that called, because the proxy has already checked this page.
    const { origin: _, "sec-fetch-site": __, ...headers } = request.headers ?? {};
    // In a PIN request, the emulated card's PIN has already replaced the typed PIN.
    const sent = endpoint === "pin" ? request : pins.maskedRequest(request);
    // We remove the token that hosted services have in front of the path.
    const path = (sent.path ?? "").replace(/^\/[^/]+(?=\/api\/v3)/i, "");
    if (entry.status === 0) return { request: { ...sent, path, headers }, answer: { dropped: true } };
    // Of an online service's status we compare only the HTTP status, because we do not know what a real service shows
    // there.
    const isOdd = this.options.online && endpoint === "status";
    const expected = isOdd ? { status: entry.status } : portableAnswer(endpoint, answer, this.groups);
    return {
      request: { ...sent, path, headers },
      answer: {
        ...(endpoint === "pin" ? expected : pins.looseAnswer(expected)),
        ...(recorded?.capture && endpoint === "invoices" ? { capture: recorded.capture } : {}),
      },
    };
  }

  /** Returns steps for what the answer shows of card and PIN: changes that happened outside of the proxy. */
  private before(endpoint: TargetEndpoint, answer: AnswerParts): WrittenStep[] {
    const { card } = this;
    if (this.options.online) return this.beforeOnline(answer);
    const codes = codesOf(answer);
    const steps: WrittenStep[] = [];
    if (answer.status === 0) steps.push({ faults: [{ on: "answer", kind: "connectionDropped", nth: 1 }] });
    if (codes.includes("1300")) {
      if (card.inserted) steps.push({ card: "remove" });
      Object.assign(card, { inserted: false, verified: false });
      return steps;
    }
    const signed = endpoint === "invoices" && answer.status >= 200 && answer.status < 300;
    const wanted = signed || (endpoint === "status" && codes.includes("0100"));
    if (!card.inserted && (wanted || codes.some((code) => ["0100", "1500", "2100", "2110"].includes(code)))) {
      steps.push({ card: "insert" });
      card.inserted = true;
    }
    if (codes.includes("2110") && !card.locked) {
      steps.push({ card: { patch: { locked: true } } });
      card.locked = true;
    }
    if (codes.includes("1500") && card.verified) {
      steps.push({ card: "reset" });
      card.verified = false;
    }
    if (wanted && !card.verified) {
      const text = pinOf(this.given);
      const request = { path: "/api/v3/pin", headers: { "content-type": "text/plain" }, text };
      steps.push({
        say: "a request that is not recorded verified the PIN",
        request,
        answer: { status: 200, text: "0100" },
      });
      card.verified = true;
    }
    return steps;
  }

  /** Returns a step that lets the emulated service lose answers when the proxy loses answers. */
  private beforeOnline({ status }: AnswerParts): WrittenStep[] {
    const loses = status === 0;
    if (loses === this.loses) return [];
    this.loses = loses;
    return [{ vsdc: { loseAnswers: loses } }];
  }

  /** Rewrites the head of the file if an answer shows more of the world. */
  private learn({ headers }: TrafficEntry, endpoint: TargetEndpoint, { status, text }: AnswerParts): void {
    const before = JSON.stringify(this.given);
    const { settings = {}, card = {} } = this.given;
    // The proxy's target may be a device, whose errors are bare codes.
    if (endpoint === "pin" ? status === 423 : status >= 400 && isBareCode(text)) {
      this.given = { ...this.given, settings: { ...settings, answerForm: "device" } };
    }
    if (endpoint === "invoices" && status >= 200 && status < 300) {
      const id = headers.requestid;
      const long = typeof id === "string" && id.length > 32 ? { requestIdLength: 36 as const } : {};
      this.given = {
        ...this.given,
        ...(Object.keys(long).length === 0 ? {} : { settings: { ...this.given.settings, ...long } }),
        card: { ...card, ...(this.options.online ? requesterIn(text) : {}), ...taxpayerIn(text) },
      };
    }
    if (JSON.stringify(this.given) !== before) this.recording.restate();
  }
}

function isPlain(encoding: unknown): boolean {
  return encoding === undefined || encoding === "identity";
}

/** Returns the UID of the POS's client certificate, because the emulator's client certificate must get the same UID. */
function requesterIn(text: string): { readonly uid?: string } {
  const { requestedBy } = fieldsOf(jsonIn(text));
  return typeof requestedBy === "string" && /^[0-9A-Z]{8}$/.test(requestedBy) ? { uid: requestedBy } : {};
}

const TAXPAYER = ["tin", "businessName", "locationName", "address", "district"];

/** Returns the card's taxpayer, or an empty object if a field is missing in the answer. */
function taxpayerIn(text: string): { readonly taxpayer?: object } {
  const json = fieldsOf(jsonIn(text));
  const fields = TAXPAYER.map((name) => [name, json[name]] as const);
  const all = fields.every(([, value]) => typeof value === "string" && value !== "");
  return all && /^[\x20-\x7e]{1,20}$/.test(String(json.tin)) ? { taxpayer: Object.fromEntries(fields) } : {};
}
