/** Writes an exchange as a step of a scenario. Values that depend on the time or on counters become matchers. */
import { isSafeNumber, parse } from "lossless-json";
import { own } from "../../src/base/own.js";
import { parseTime } from "../../src/fiscal/time.js";
import { ESCPOS_TYPE } from "../../src/http/escpos.js";
import { LIMITS } from "../../src/http/limits.js";
import { isPinPath } from "../../src/http/traffic/mask.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { AnswerEnd } from "../../src/http/traffic/watch-answer.js";
import { MASKED } from "../../src/schema/mask-text.js";
import { jsonSize } from "../../src/schema/validator.js";
import { FINDINGS } from "../../src/state/findings.js";
import { jsonIn } from "./json.js";
import type { RequestStep, WrittenStep } from "./scenario.js";

/** Headers that influence the answer. */
const TELLING_HEADERS = ["accept", "accept-language", "content-type", "origin", "requestid", "sec-fetch-site"];
/** Bytes. We record a larger body as text, because writing it as a tree would block every till. */
const LARGEST_TREE = 64 * 1024;
const CLOCK_TIME = /\d\d(\.\d\d\.\d{4}\.|\/\d\d\/\d{4}) \d{1,2}:\d\d:\d\d/;

export const TEXT = { $type: "string" };
export const NUMBER = { $type: "number" };
/** Fields whose values differ between runs or installations. */
const VARIABLE: Readonly<Record<string, unknown>> = {
  sdcDateTime: { $time: true },
  validFrom: { $time: true },
  invoiceCounter: TEXT,
  invoiceNumber: TEXT,
  lastInvoiceNumber: TEXT,
  verificationUrl: TEXT,
  verificationQRCode: TEXT,
  encryptedInternalData: TEXT,
  signature: TEXT,
  totalCounter: NUMBER,
  transactionTypeCounter: NUMBER,
  softwareVersion: TEXT,
  deviceSerialNumber: TEXT,
  mrc: TEXT,
  environmentSource: TEXT,
  taxAuthoritySince: { $any: true },
  taxAuthorityApi: TEXT,
  taxCoreApi: TEXT,
  root: TEXT,
};

/**
 * Whether a replay of the request gets the same answer. We leave out requests that the guard refused (403), because a
 * web page could fill a recording with them. We leave out overload (503), because it does not happen again in the
 * replay.
 */
export function isReplayable({ status, online }: TrafficEntry): boolean {
  // A recording has no PAC. The replay sends the right PAC, so it does not get this refusal.
  if (online && status === 401) return false;
  return status !== 403 && status !== 503;
}

/** Returns the steps that a replay needs before the step of an exchange. */
export function stepsBefore(end: AnswerEnd): readonly WrittenStep[] {
  // A replay waits for every answer, so a fault must break the connection of a POS that did not wait.
  return end === "abandoned" ? [{ faults: [{ on: "answer", kind: "connectionDropped", nth: 1 }] }] : [];
}

export class ExchangeRecorder {
  /** Invoice numbers so far, each with the name that later steps use for it. */
  private readonly numbers = new Map<string, string>();

  /** Times of the invoices, each with its name in later steps. In whole seconds: a till may cut off the rest. */
  private readonly times = new Map<number | string, string>();

  /** @param pin PIN of the card that will play the scenario; the till's PIN is not known here */
  constructor(private readonly pin: string) {}

  step(entry: TrafficEntry, body: Uint8Array): WrittenStep {
    const { method, path, online } = entry;
    const telling = TELLING_HEADERS.filter((name) => entry.headers[name] !== undefined);
    const headers = Object.fromEntries(telling.map((name) => [name, String(entry.headers[name])]));
    const content = isPinPath(path) ? { text: this.pinBody(entry) } : bodyOf(entry, body);
    const request = { ...(online ? { online } : {}), method, path, headers, ...content } as RequestStep["request"];
    return { request: this.withNames(request), answer: this.answerOf(entry) };
  }

  /** Returns the till's body with the right PIN in place of the mask; with a wrong PIN if the till's was wrong. */
  private pinBody({ body, answer }: TrafficEntry): string {
    const right = answer.includes("0100");
    const digits = right ? this.pin : [...this.pin].map((digit) => (Number(digit) + 1) % 10).join("");
    let position = 0;
    return body.replaceAll(MASKED, () => digits[position++ % digits.length] ?? "0");
  }

  private answerOf(entry: TrafficEntry): NonNullable<RequestStep["answer"]> {
    const { status, answer, answerHeaders } = entry;
    if (status === 0) return { dropped: true };
    const replayed = answerHeaders["idempotent-replayed"];
    const headers = replayed === undefined ? {} : { headers: { "idempotent-replayed": String(replayed) } };
    // We do not compare bytes for a printer, because they contain the receipt's number, time and QR code.
    if (answerHeaders["content-type"] === ESCPOS_TYPE) return { status, ...headers };
    const json = jsonIn(answer);
    if (typeof json !== "object" || json === null) return { status, ...headers, text: answer };
    // We leave out `details`, because this text may change with every version.
    const { details: _, ...record } = json as Record<string, unknown>;
    return { status, ...headers, json: matching(ofTestCard(record)), ...this.captureOf(record) };
  }

  /** Captures number and time of the invoice, so that later requests name the invoice of the replay. */
  private captureOf({ invoiceNumber, sdcDateTime }: Record<string, unknown>): { capture?: Record<string, string> } {
    if (typeof invoiceNumber !== "string" || this.numbers.has(invoiceNumber)) return {};
    const count = this.numbers.size + 1;
    const name = `invoice${count}`;
    this.numbers.set(invoiceNumber, name);
    const time = secondOf(sdcDateTime);
    if (time === undefined) return { capture: { [name]: "invoiceNumber" } };
    // Several receipts may have one second, so an exact time comes first. A POS may also send the printed digits.
    for (const key of [time, String(sdcDateTime), digitsOf(sdcDateTime)]) this.times.set(key, `time${count}`);
    return { capture: { [name]: "invoiceNumber", [`time${count}`]: "sdcDateTime" } };
  }

  private withNames(request: RequestStep["request"]): RequestStep["request"] {
    const named = (value: unknown, key = ""): unknown => {
      if (typeof value === "string") {
        const { times } = this;
        const name = /^referentDocumentDT$/i.test(key)
          ? (times.get(value) ?? times.get(digitsOf(value)) ?? times.get(secondOf(value) ?? ""))
          : this.numbers.get(value);
        return name === undefined ? value : `\${${name}}`;
      }
      if (Array.isArray(value)) return value.map((entry) => named(entry));
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, named(entry, key)]));
    };
    return named(request) as RequestStep["request"];
  }
}

/** Returns the digits of a time, up to the second, without its zone. */
function digitsOf(text: unknown): string {
  return String(text).slice(0, 19).replaceAll("/", "-").replace(" ", "T");
}

/** Returns a time in whole seconds since the epoch, or undefined if the value is not a time. */
function secondOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? parseTime(text) : undefined;
  return time === undefined ? undefined : Math.floor(time / 1000);
}

/** Findings about earlier sales of the shop's card. The card of the replay has no earlier sales. */
const OF_THE_PAST: ReadonlySet<unknown> = new Set(
  [FINDINGS.behind, FINDINGS.back, FINDINGS.salesMissing].map(({ code }) => code),
);
const TEST_CARD = FINDINGS.testCard.code;

/** Gives a status record the codes of the replay, whose card is a test card without earlier sales. */
function ofTestCard(record: Record<string, unknown>): Record<string, unknown> {
  const { mssc, gsc, uid } = record;
  if (!Array.isArray(mssc) || !Array.isArray(gsc)) return record;
  const others = mssc.filter((code) => !OF_THE_PAST.has(code) && code !== TEST_CARD);
  return {
    ...record,
    mssc: uid === "" ? others : [...others, TEST_CARD].toSorted(),
    gsc: others.length > 0 ? gsc : gsc.filter((code) => code !== "1999"),
  };
}

/** Returns the body as JSON if JSON loses nothing of it, else as text or bytes. */
function bodyOf({ body }: TrafficEntry, bytes: Uint8Array): RequestStep["request"] {
  if (bytes.length === 0) return {};
  if (!Buffer.from(body).equals(bytes)) return { bytes: Buffer.from(bytes).toString("hex") };
  const json = bytes.length <= LARGEST_TREE && jsonSize(body).depth <= LIMITS.depth.value ? exactJson(body) : undefined;
  return typeof json === "object" && json !== null ? { json } : { text: body };
}

/** Parses JSON. Returns undefined if a number has more digits than a double, or if an object has a key twice. */
function exactJson(text: string): unknown {
  try {
    return parse(text, null, (number) => {
      if (!isSafeNumber(number)) throw new RangeError(number);
      return Number(number);
    });
  } catch {
    return undefined;
  }
}

function matching(record: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(record).map(([name, value]) => {
    if (value === null || value === "") return [name, value];
    if (name === "journal") return [name, journalMatcher(String(value), record)];
    if (/^(endpoints|currentTaxRates|allTaxRates)$/.test(name)) return [name, inside(value)];
    return [name, own(VARIABLE, name) ?? value];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

const inside = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(inside) : matching(value as Record<string, unknown>);

/** Makes a matcher that keeps every line of the journal, except the lines with a time, a number or a counter. */
function journalMatcher(journal: string, { invoiceNumber, invoiceCounter }: Record<string, unknown>): object {
  const variable = [invoiceNumber, invoiceCounter].map(String);
  // If a value is broken over two lines, we cannot find its lines, so we accept any text.
  if (!variable.every((value) => journal.includes(value))) return TEXT;
  if (!journal.endsWith("\r\n")) return TEXT;
  const lines = journal.split("\r\n").slice(0, -1);
  const varies = (line: string) => CLOCK_TIME.test(line) || variable.some((value) => line.includes(value));
  return { $lines: lines.map((line) => (varies(line) ? variableLine(line) : line)) };
}

/** Makes a matcher for the label of a line, such as `ПФР време:`. Without a label, every line matches. */
function variableLine(line: string): object {
  const [label] = /^[^\d:]+:/.exec(line) ?? [];
  return label === undefined ? { $any: true } : { $contains: label };
}
