/** Sends invoices at a rate, or one after the other, and measures how long the answers take. */
import { randomUUID } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { post } from "../conformance/session.js";
import { codesOf } from "../proxy/target-answer.js";
import { httpCall } from "../scenario/http-call.js";
import { type Allowed, refusalOf } from "../scenario/risk.js";
import { type Percentiles, percentilesOf } from "./percentiles.js";

export interface LoadOptions {
  readonly baseUrl: string;
  readonly allowed: Allowed;
  readonly invoices: AsyncIterator<object>;
  /** Invoices per second. If undefined, the next invoice is sent as soon as the invoice before is answered. */
  readonly rate: number | undefined;
  /** ms that the run takes. */
  readonly duration: number;
  readonly signal: AbortSignal;
  /** Called after each answer. */
  readonly answered: (sofar: LoadCounts) => void;
}

export interface LoadCounts {
  readonly sent: number;
  readonly signed: number;
  /** ms from the first invoice to the last answer. */
  readonly ms: number;
  /** Signed invoices per second. */
  readonly throughput: number;
}

export interface LoadResult extends LoadCounts {
  /**
   * Number of failed invoices by the code of the answer, or by its HTTP status if it has no code. `lost` got no answer.
   */
  readonly failures: Readonly<Record<string, number>>;
  /** Number of invoices that were due but not sent, because too many other invoices waited for their answer. */
  readonly held: number;
  /**
   * Times to the answer of signed invoices. A time begins when its invoice is due, so that a slow service does not look
   * fast.
   */
  readonly latency: Percentiles | undefined;
}

/** The largest number of open connections. A POS has a few connections; a chain of shops has a few hundred. */
const MOST_OPEN = 256;
/** After this many failures without a signed invoice the run stops, because more failures would show nothing new. */
const MOST_FAILURES_AT_FIRST = 20;

export async function load(options: LoadOptions): Promise<LoadResult> {
  const run = new LoadRun(options);
  try {
    await (options.rate === undefined ? run.oneAfterTheOther() : run.atRate(options.rate));
  } finally {
    run.close();
  }
  return run.result();
}

class LoadRun {
  private readonly began = performance.now();
  private readonly times: number[] = [];
  private readonly failures: Record<string, number> = {};
  private readonly agent: HttpAgent;
  private readonly open = new Set<Promise<void>>();
  private broken: { readonly error: unknown } | undefined;
  private sent = 0;
  private held = 0;
  private ended = this.began;

  constructor(private readonly options: LoadOptions) {
    const Agent = options.baseUrl.startsWith("https:") ? HttpsAgent : HttpAgent;
    this.agent = new Agent({ keepAlive: true, maxSockets: MOST_OPEN });
  }

  async oneAfterTheOther(): Promise<void> {
    while (!this.isOver() && performance.now() - this.began < this.options.duration) await this.send(performance.now());
  }

  async atRate(rate: number): Promise<void> {
    for (let number = 0; !this.isOver(); number++) {
      const after = (number * 1000) / rate;
      if (after >= this.options.duration) break;
      const due = this.began + after;
      const wait = due - performance.now();
      // An abort ends the wait, and then isOver() ends the loop. A late invoice is sent at once, but nextTurn lets Node
      // read answers first.
      if (wait > 0) await delay(wait, undefined, { signal: this.options.signal }).catch(() => undefined);
      else await nextTurn();
      if (this.isOver()) break;
      if (this.open.size >= MOST_OPEN) this.held += 1;
      else this.begin(due);
    }
    await Promise.all(this.open);
    if (this.broken) throw this.broken.error;
  }

  result(): LoadResult {
    const { held, failures, times } = this;
    return { ...this.counts(), held, failures, latency: percentilesOf(times) };
  }

  private counts(): LoadCounts {
    const ms = this.ended - this.began;
    const signed = this.times.length;
    return { sent: this.sent, signed, ms, throughput: ms === 0 ? 0 : (signed * 1000) / ms };
  }

  close(): void {
    this.agent.destroy();
  }

  private isOver(): boolean {
    const failed = Object.values(this.failures).reduce((sum, count) => sum + count, 0);
    const inVain = this.times.length === 0 && failed >= MOST_FAILURES_AT_FIRST;
    return inVain || this.broken !== undefined || this.options.signal.aborted;
  }

  private begin(due: number): void {
    const sending = this.send(due)
      .catch((error: unknown) => {
        this.broken ??= { error };
      })
      .finally(() => this.open.delete(sending));
    this.open.add(sending);
  }

  private async send(due: number): Promise<void> {
    const { baseUrl, allowed, invoices, answered } = this.options;
    const { value, done } = await invoices.next();
    if (done) throw new Error("there are no more invoices");
    // The RequestId is random and not from the seed, because a second run must not get the stored answers of the first
    // run.
    const request = post("/invoices", value, { RequestId: randomUUID().replaceAll("-", "") });
    const refusal = refusalOf(request, allowed);
    if (refusal !== undefined) throw new Error(refusal);
    this.sent += 1;
    const answer = await httpCall(baseUrl, request, this.agent).catch(() => undefined);
    this.ended = performance.now();
    if (answer && (answer.status === 200 || answer.status === 201)) this.times.push(this.ended - due);
    else {
      const why = answer ? (codesOf(answer)[0] ?? `HTTP ${answer.status}`) : "lost";
      this.failures[why] = (this.failures[why] ?? 0) + 1;
    }
    answered(this.counts());
  }
}
