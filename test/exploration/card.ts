/** The card of the model: what it has signed, and what it answers. */
import type { Amounts } from "../../src/fiscal/limit.js";
import type { Signature } from "../../src/fiscalizer/protocol/state.js";

export interface Card {
  readonly name: CardName;
  /** Names its key pair, which stays the same for the same card. */
  readonly key: string;
  readonly uid: string;
  readonly counter: number;
  readonly sum: number;
  readonly last: { readonly header: string; readonly bytes: string } | undefined;
  /** It stored its last answer damaged: always with the same bytes. */
  readonly broken: boolean;
  readonly audits: number;
  readonly audit: { readonly request: string; readonly sum: number; readonly counter: number } | undefined;
}

/** A signature as it was really made. */
export interface Signed {
  readonly card: string;
  readonly uid: string;
  readonly counter: number;
  readonly header: string;
  readonly bytes: string;
  /** Key of the sale; undefined when another program requested it. */
  readonly key: number | undefined;
  readonly requestId: string | undefined;
}

const LIMIT = 1_000n;
/** Turns a counter into what a flipped bit makes of it. */
const FLIPPED = 64;

/**
 * - `twin`: another card with the same UID.
 * - `older`: the card itself, as if it had lost its memory.
 * - `other`: another card with another UID.
 */
export type CardName = "card" | "twin" | "older" | "other";

/** A twin has signed once, long ago, as has the card itself in its older state. */
export function newCard(name: CardName): Card {
  const last = name === "twin" || name === "older" ? { header: "long ago", bytes: `${name} 1` } : undefined;
  const key = name === "older" ? "card" : name;
  const state = { counter: last ? 1 : 0, sum: 0, last, broken: false, audits: 0, audit: undefined };
  return { name, key, uid: name === "other" ? "B" : "A", ...state };
}

/** @param amount added to the sum */
export function signWith(card: Card, header: string, amount: number, broken = false): Card {
  const counter = card.counter + 1;
  const last = { header, bytes: `${card.name} ${counter}` };
  return { ...card, counter, sum: card.sum + amount, last, broken };
}

/** @param disturbed the answer arrives with other bytes each time */
export function lastOf({ counter, last, broken }: Card, disturbed?: number): Signature | undefined {
  if (!last) return undefined;
  const { header, bytes } = last;
  if (disturbed !== undefined) return damaged(counter, header, `${bytes} disturbed ${disturbed}`);
  return broken ? damaged(counter, header, `${bytes} broken`) : { totalCounter: counter, header, bytes, proven: true };
}

function damaged(counter: number, header: string, bytes: string): Signature {
  return { totalCounter: counter + FLIPPED, header, bytes, proven: false };
}

export function amountsOf({ sum }: Card): Amounts {
  return { sum: BigInt(sum), limit: LIMIT };
}

export function startAudit(card: Card): Card & { readonly audit: NonNullable<Card["audit"]> } {
  const { audits, sum, counter } = card;
  return { ...card, audits: audits + 1, audit: { request: `request ${audits + 1}`, sum, counter } };
}

/** It got the proof for its open audit: what was signed since stays in the sum. */
export function endAudit(card: Card): Card {
  return { ...card, sum: card.sum - (card.audit?.sum ?? 0), audit: undefined };
}
