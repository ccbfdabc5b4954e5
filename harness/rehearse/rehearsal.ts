/** Keeps what a POS has sent since a rehearsal began, and judges it. */

import { EMULATOR_LIMITS } from "../../emulator/tax-authority/endpoint/limits.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Row } from "../scenario/row.js";
import { RequestBlock } from "./request-block.js";
import { rowsOf } from "./rows.js";

/** Requests that the guard refused came from another program, such as a web page. */
const REFUSED_BY_GUARD = 403;

/** Fields of a receipt that no rule and no report reads. They take most of its memory, and cannot be compressed. */
const NOT_JUDGED = /"(?:verificationQRCode|encryptedInternalData|signature)":"[^"]*",/g;

export class Rehearsal {
  private blocks: RequestBlock[] = [];
  private count = 0;
  private characters = 0;
  private country: () => string | undefined = () => undefined;
  private known: { readonly requests: readonly SentRequest[]; readonly rows: readonly Row[] } | undefined;

  /**
   * Keeps each request from now on. The traffic log forgets old requests, but a rehearsal may last hours.
   * @param country returns the code of the service's country; undefined if it is unknown
   */
  follow(traffic: TrafficLog, country: () => string | undefined): void {
    this.country = country;
    traffic.on("ended", (entry) => this.add(entry));
  }

  /** All requests that the rehearsal keeps, oldest first. */
  get requests(): readonly SentRequest[] {
    return this.judged.requests;
  }

  get rows(): readonly Row[] {
    return this.judged.rows;
  }

  begin(): void {
    this.blocks = [];
    this.count = 0;
    this.characters = 0;
    this.known = undefined;
  }

  private get judged() {
    if (!this.known) {
      const requests = this.read();
      this.known = { requests, rows: rowsOf(requests, this.country()) };
    }
    return this.known;
  }

  private read(): SentRequest[] {
    const numbers = new Set<unknown>();
    // A request that began earlier may end later.
    const requests = this.blocks.flatMap((block) => block.requests).toSorted((one, other) => one.id - other.id);
    return requests.map((request) => {
      if (!request.signed) return request;
      const { invoiceNumber } = request.answer as { readonly invoiceNumber: unknown };
      // A repeated invoice gets the same receipt again, so only the first request with this number counts as signed.
      if (numbers.has(invoiceNumber)) return { ...request, signed: false };
      numbers.add(invoiceNumber);
      return request;
    });
  }

  private add(ended: TrafficEntry): void {
    if (ended.status === REFUSED_BY_GUARD) return;
    let block = this.blocks.at(-1);
    if (!block || block.isFull) {
      block = new RequestBlock();
      this.blocks.push(block);
    }
    const answer = ended.answer.replaceAll(NOT_JUDGED, "");
    this.count += 1;
    this.characters += block.add({ ...ended, answer, answerHeaders: {}, apdus: [], steps: [] });
    const { rehearsal, rehearsalCharacters } = EMULATOR_LIMITS;
    while (this.count > rehearsal.value || this.characters > rehearsalCharacters.value) {
      const { count = 0, characters = 0 } = this.blocks.shift() ?? {};
      this.count -= count;
      this.characters -= characters;
    }
    this.known = undefined;
  }
}
