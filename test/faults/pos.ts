/** A careful POS repeats a sale with its RequestId until it has the receipt or a final refusal. */
import { setTimeout as sleep } from "node:timers/promises";
import { isNamed } from "../support/silent-refusals.js";
import { call, type Outcome, type Reply } from "./call.js";
import type { Chance } from "./chance.js";
import { PIN } from "./slot.js";

/** State that the POS of one run share. */
export interface Shop {
  /** Addresses of the service; more than one when two services run. */
  readonly urls: readonly string[];
  readonly chance: Chance;
  readonly hangsUp: boolean;
  /** Complete first answer for each RequestId. */
  readonly answers: Map<string, string>;
  readonly refusals: Map<string, string>;
  readonly seen: Map<string, number>;
  /** ms since the epoch after which a POS gives up, which is a failure. */
  readonly deadline: number;
  violation(what: string): void;
  unlock(): Promise<void>;
  /** A person posts the Training receipt that settles a sale in doubt. */
  settle(): Promise<void>;
}

const PAUSE_MS = [50, 250] as const;
/** Faults of a run come and go, also between the question and the next sale. */
const MOST_SILENT = 4;
const REFUSALS_THAT_PASS = new Set(["1300", "1500", "1999", "2220"]);

export function requestIdOf(n: number): string {
  return `r${n}`;
}

/** The amount in the card's header for the sale `n`, scaled by 10,000. */
export function amountOf(n: number): bigint {
  return BigInt(n) * 100n;
}

function invoiceOf(n: number, invoiceType = "Normal"): string {
  const amount = n / 100;
  return JSON.stringify({
    cashier: "Torture",
    invoiceType,
    transactionType: "Sale",
    payment: [{ amount, paymentType: "Cash" }],
    items: [{ name: requestIdOf(n), quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount }],
  });
}

/** A shop that has sold nothing yet. */
export function newShop(parts: Omit<Shop, "answers" | "refusals" | "seen">): Shop {
  return { ...parts, answers: new Map(), refusals: new Map(), seen: new Map() };
}

export function postSale(url: string, n: number, invoiceType?: string, hangUp?: number): Promise<Outcome> {
  const headers = { "Content-Type": "application/json", RequestId: requestIdOf(n) };
  const patience = hangUp === undefined ? {} : { hangUp };
  const body = invoiceOf(n, invoiceType);
  return call(url, { method: "POST", path: "/api/v3/invoices", headers, body, ...patience });
}

export function postPin(url: string): Promise<Outcome> {
  return call(url, { method: "POST", path: "/api/v3/pin", headers: { "Content-Type": "text/plain" }, body: PIN });
}

export class Pos {
  /** Refusals in a row after which /ready said that the till can sell. */
  private silent = 0;

  constructor(private readonly shop: Shop) {}

  /** Resolves when it has the receipt or a final refusal, or has waited too long. */
  async sell(n: number): Promise<void> {
    const id = requestIdOf(n);
    const { shop } = this;
    while (!this.isSettled(id)) {
      if (Date.now() > shop.deadline) return shop.violation(`${id} waits for ever`);
      for (const outcome of await this.ask(n)) await this.judge(id, outcome);
      if (!this.isSettled(id)) await sleep(shop.chance.between(...PAUSE_MS));
    }
    // Some POS print the receipt again.
    if (shop.answers.has(id) && shop.chance.oneIn(3)) {
      for (const outcome of await Promise.all([this.post(n), this.get(id)])) await this.judge(id, outcome);
    }
  }

  /** Asks once. @returns whether it has the receipt */
  async once(n: number): Promise<boolean> {
    const id = requestIdOf(n);
    await this.judge(id, await this.post(n));
    return this.shop.answers.has(id);
  }

  private isSettled(id: string): boolean {
    return this.shop.answers.has(id) || this.shop.refusals.has(id);
  }

  private async ask(n: number): Promise<Outcome[]> {
    const { chance, hangsUp } = this.shop;
    const way = chance.between(1, 6);
    if (way === 1) return Promise.all([this.post(n), this.post(n)]);
    if (way === 2) return Promise.all([this.get(requestIdOf(n)), this.post(n)]);
    if (hangsUp && way > 3) return [await this.post(n, chance.between(0, 60))];
    return [await this.post(n)];
  }

  private post(n: number, hangUp?: number): Promise<Outcome> {
    return postSale(this.url, n, "Normal", hangUp);
  }

  private get(id: string): Promise<Outcome> {
    return call(this.url, { method: "GET", path: `/api/v3/invoices/${id}` });
  }

  private get url(): string {
    return this.shop.chance.pick(this.shop.urls);
  }

  private async judge(id: string, outcome: Outcome): Promise<void> {
    const { shop } = this;
    const what = typeof outcome === "string" ? outcome : (outcome.code ?? String(outcome.status));
    shop.seen.set(what, (shop.seen.get(what) ?? 0) + 1);
    if (outcome === "timeout") return shop.violation(`${id}: no answer in 90 s`);
    if (outcome === "broken") return;
    if (outcome.status === 200) return this.answered(id, outcome.text);
    await this.requireSaid(id, outcome);
    await this.refused(id, outcome);
  }

  /** A till that refuses sales says so in /ready. */
  private async requireSaid(id: string, { status, code }: Reply): Promise<void> {
    const url = this.shop.urls[0] ?? "";
    const ready = isNamed(code, status) ? await call(url, { method: "GET", path: "/ready" }) : undefined;
    this.silent = typeof ready === "object" && ready.status === 200 ? this.silent + 1 : 0;
    if (this.silent === MOST_SILENT) this.shop.violation(`${id} got ${code} again and again, and /ready said yes`);
  }

  private answered(id: string, text: string): void {
    const { answers, violation } = this.shop;
    const first = answers.get(id);
    if (first === undefined) answers.set(id, text);
    else if (first !== text) violation(`${id} got two answers: ${counterIn(first)} and ${counterIn(text)}`);
  }

  private async refused(id: string, { status, code, details }: Reply): Promise<void> {
    const { shop } = this;
    if (/This is final|is damaged: run tillseal verify/.test(details)) {
      shop.refusals.set(id, details);
    } else if (status === 404) {
      if (shop.answers.has(id)) shop.violation(`${id} was answered, and is not known any more`);
    } else if (code === undefined || !REFUSALS_THAT_PASS.has(code)) {
      shop.violation(`${id} got ${status} ${code ?? ""}: ${details.slice(0, 200)}`);
    } else if (details.includes("post one Training receipt")) {
      await shop.settle();
    } else if (status !== 503) {
      await shop.unlock();
    }
  }
}

function counterIn(answer: string): string {
  return /"invoiceCounter":"[^"]*"/.exec(answer)?.[0] ?? answer.slice(0, 80);
}
