/** Turns errors that make a card unusable into reasons with a code. */

import { messageOf } from "../base/thrown.js";
import { CardError, type CardFault } from "./card-reader.js";
import type { CardReason } from "./card-reason.js";

const FAULTS: Readonly<Record<CardFault, CardReason["code"]>> = {
  removed: "removed",
  reset: "reset",
  "no-answer": "silent",
  "reader-lost": "readerLost",
};

/** A card cannot be used. `why` is the reason as a code; the message is an English sentence. */
export class UnusableCard extends Error {
  override readonly name: string = "UnusableCard";

  constructor(
    readonly why: CardReason,
    message: string,
  ) {
    super(message);
  }
}

/** Returns why the card cannot be used, for an error that occurred while the service used the card. */
export function cardReason(error: unknown): CardReason {
  if (error instanceof UnusableCard) return error.why;
  if (error instanceof CardError) return { code: FAULTS[error.fault] };
  return { code: "failed", values: { problem: messageOf(error) } };
}
