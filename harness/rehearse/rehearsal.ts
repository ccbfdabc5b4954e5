/** Keeps what a POS has sent since a rehearsal began, and judges it. */

import { EMULATOR_LIMITS } from "../../emulator/tax-authority/endpoint/limits.js";
import { sizeOf, type TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { sentRequests } from "../scenario/find-requests.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Row } from "./row.js";
import { rowsOf } from "./rows.js";

/**
 * HTTP status of requests that the guard refused. We ignore them, because they came from another program, such as a web
 * page.
 */
const REFUSED_BY_GUARD = 403;

interface Kept {
  readonly entry: TrafficEntry;
  readonly size: number;
  /** We make the request from the entry on demand, because most emulators never show a rehearsal. */
  request?: SentRequest;
}

export class Rehearsal {
  private kept: Kept[] = [];
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

  /** Forgets all requests, so that a new rehearsal begins. */
  begin(): void {
    this.kept = [];
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
    return this.kept.flatMap((kept) => {
      kept.request ??= sentRequests([kept.entry])[0];
      const { request } = kept;
      if (!request?.signed) return request ?? [];
      const { invoiceNumber } = request.answer as { readonly invoiceNumber: unknown };
      // A repeated invoice gets the same receipt again, so only the first request with this number counts as signed.
      if (numbers.has(invoiceNumber)) return { ...request, signed: false };
      numbers.add(invoiceNumber);
      return request;
    });
  }

  private add(ended: TrafficEntry): void {
    if (ended.status === REFUSED_BY_GUARD) return;
    const entry = { ...ended, answerHeaders: {}, apdus: [] };
    const size = sizeOf(entry);
    const last = this.kept.at(-1);
    this.kept.push({ entry, size });
    this.characters += size;
    // We sort by id, because a request that began earlier may end later.
    if (last && last.entry.id > entry.id) this.kept.sort((one, other) => one.entry.id - other.entry.id);
    const { rehearsal, rehearsalCharacters } = EMULATOR_LIMITS;
    while (this.kept.length > rehearsal.value || this.characters > rehearsalCharacters.value) {
      this.characters -= this.kept.shift()?.size ?? 0;
    }
    this.known = undefined;
  }
}
