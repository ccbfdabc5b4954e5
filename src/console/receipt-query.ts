/** Reads the query of a search for receipts. */
import type { Request } from "express";
import { parseScaled, toDecimalText } from "../fiscal/money.js";
import { parseTime } from "../fiscal/time.js";
import { HttpError } from "../http/errors.js";
import { ALWAYS, type Period } from "../ledger/period.js";
import type { Sought } from "../ledger/receipts.js";
import { folded } from "./indexed-receipt.js";
import type { UnderstoodRecord } from "./records/receipts.js";

/** Maximum number of receipts in an answer. If more receipts match, the person must narrow the search. */
export const MOST = 1000;

export function understoodOf({ counter, amount, otherAmount }: Sought): UnderstoodRecord {
  const amounts = [amount, otherAmount].filter((value) => value !== undefined);
  return { counter: counter ?? null, amounts: [...new Set(amounts)] };
}

/** Returns what a search text may mean: words, a counter or an amount. A receipt prints the counter 57 as `2/57NS`. */
export function soughtOf(text: string): Sought {
  const counter = /^(?:\d+\/)?(\d{1,10})\D{0,4}$/.exec(text)?.[1];
  const last = Math.max(text.lastIndexOf(","), text.lastIndexOf("."));
  const plain = (part: string) => part.replaceAll(/[.,]/g, "");
  return {
    text,
    words: folded(text),
    counter: counter === undefined ? undefined : Number(counter),
    // `1.234,50` and `1,234.50` are the same amount. `1.234` is ambiguous, so `otherAmount` reads it as 1234.
    amount: amountOf(last < 0 ? text : `${plain(text.slice(0, last))}.${text.slice(last + 1)}`),
    otherAmount: amountOf(plain(text)),
  };
}

function amountOf(text: string): string | undefined {
  try {
    return toDecimalText(parseScaled(text));
  } catch {
    return undefined;
  }
}

export function periodOf(request: Request): Period {
  const [from, to] = [timeOf(request, "from"), timeOf(request, "to")];
  return from === undefined && to === undefined ? ALWAYS : { from: from ?? ALWAYS.from, to: to ?? ALWAYS.to };
}

function timeOf(request: Request, name: string): number | undefined {
  const written = text(request, name);
  if (written === "") return undefined;
  const time = parseTime(written);
  if (time === undefined) throw new HttpError(404, name, "Expected a time such as 2026-11-21T00:00:00Z");
  return time;
}

export function limitOf(request: Request): number {
  const limit = Number(text(request, "limit") || "50");
  return Number.isInteger(limit) ? Math.min(Math.max(limit, 1), MOST) : 50;
}

export function text(request: Request, name: string): string {
  const value = request.query[name];
  return typeof value === "string" ? value : "";
}
