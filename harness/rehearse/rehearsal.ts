/** Keeps what a POS has sent since a rehearsal began, and judges it. */

import { withoutError } from "../../src/http/limits.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { AnswerEnd } from "../../src/http/traffic/watch-answer.js";
import { fieldsOf } from "../scenario/json.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { RehearsalRecord, Row } from "../scenario/row.js";
import { notesIn } from "./notes.js";
import { RequestBlock } from "./request-block.js";
import { refusedIn, rowsOf } from "./rows.js";
import { type JudgedRequest, sessionOf } from "./session.js";

/** Requests that the guard refused came from another program, such as a web page. */
const REFUSED_BY_GUARD = 403;

/** Fields of a receipt that no rule and no report reads. They take most of its memory, and cannot be compressed. */
const NOT_JUDGED = /"(?:verificationQRCode|encryptedInternalData|signature)":"[^"]*",/g;

export const REHEARSAL_LIMITS = {
  rehearsal: withoutError(10_000, "10,000", "requests that a rehearsal judges", "The oldest are dropped"),
  rehearsalCharacters: withoutError(
    32 * 1024 * 1024,
    "32 Mi characters",
    "the requests that a rehearsal judges",
    "The oldest are dropped",
  ),
};

type Notes = ReturnType<typeof notesIn>;

export class Rehearsal {
  private blocks: RequestBlock[] = [];
  /** The largest id so far, and the ids with which spans begin. */
  private lastId = 0;
  private starts: number[] = [];
  private guarded = 0;
  private country: () => string | undefined = () => undefined;
  private known: { readonly requests: readonly JudgedRequest[]; rows?: readonly Row[]; notes?: Notes } | undefined;

  /**
   * Keeps each request from now on. The traffic log forgets old requests, but a rehearsal may last hours.
   * @param country returns the code of the service's country; undefined if it is unknown
   */
  follow(traffic: TrafficLog, country: () => string | undefined): void {
    this.country = country;
    traffic.on("ended", (entry, end) => this.add(entry, end));
  }

  /** All requests that the rehearsal keeps, oldest first. */
  get requests(): readonly SentRequest[] {
    return this.kept.requests;
  }

  get rows(): readonly Row[] {
    const { kept } = this;
    kept.rows ??= rowsOf(kept.requests, this.country());
    return kept.rows;
  }

  /** The judgement of the requests after the one with this id. */
  since(id: number): RehearsalRecord {
    const later = this.requests.filter((request) => request.id > id);
    const rows = later.length === this.requests.length ? this.rows : rowsOf(later, this.country());
    const refused = refusedIn(later);
    return { requests: later.length, last: this.lastId, rows, ...(refused === undefined ? {} : { refused }) };
  }

  notesOf(id: number): readonly string[] {
    const { kept } = this;
    kept.notes ??= notesIn(sessionOf(kept.requests));
    return kept.notes.get(id) ?? [];
  }

  /** Why the rehearsal keeps no request, if some came. */
  get whyEmpty(): string | undefined {
    if (this.lastId > 0) return "the POS sent nothing since DELETE /control/rehearsal";
    return this.guarded === 0 ? undefined : `${this.guarded} requests were refused with 403 for their Host or Origin`;
  }

  /** Begins a new span: the world is another one from now on. The judgement of the spans before stays. */
  span(): void {
    if (this.starts.at(-1) !== this.lastId + 1) this.starts.push(this.lastId + 1);
    this.known = undefined;
  }

  begin(): void {
    this.starts = [];
    this.blocks = [];
    this.known = undefined;
  }

  private get kept() {
    this.known ??= { requests: this.read() };
    return this.known;
  }

  private read(): JudgedRequest[] {
    const numbers = new Set<string>();
    // A request that began earlier may end later.
    const requests = this.blocks.flatMap((block) => block.requests).toSorted((one, other) => one.id - other.id);
    return requests.map((request) => {
      const span = this.starts.filter((start) => start <= request.id).length;
      if (!request.signed) return { ...request, span };
      const number = `${span} ${String(fieldsOf(request.answer).invoiceNumber)}`;
      // A repeated invoice gets the same receipt again, so only the first request with this number counts as signed.
      const signed = !numbers.has(number);
      numbers.add(number);
      return { ...request, span, signed };
    });
  }

  private add(ended: TrafficEntry, end?: AnswerEnd): void {
    if (ended.status === REFUSED_BY_GUARD) {
      this.guarded += 1;
      return;
    }
    this.lastId = Math.max(this.lastId, ended.id);
    let block = this.blocks.at(-1);
    if (!block || block.isFull) {
      block = new RequestBlock();
      this.blocks.push(block);
    }
    const answer = ended.answer.replaceAll(NOT_JUDGED, "");
    block.add({ ...ended, answer, answerHeaders: {}, apdus: [], steps: [] }, end === "abandoned");
    const { rehearsal, rehearsalCharacters } = REHEARSAL_LIMITS;
    const total = (of: "count" | "characters") => this.blocks.reduce((sum, one) => sum + one[of], 0);
    while (total("count") > rehearsal.value || total("characters") > rehearsalCharacters.value) this.blocks.shift();
    this.known = undefined;
  }
}
