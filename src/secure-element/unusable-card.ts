/** Errors in reaching a card, as reasons with a code. */

import { messageOf } from "../base/thrown.js";
import { CardError, type CardFault } from "./card-reader.js";
import type { CardReason } from "./card-reason.js";

const FAULTS: Readonly<Record<CardFault, CardReason["code"]>> = {
  removed: "removed",
  reset: "reset",
  "no-answer": "silent",
  "reader-lost": "readerLost",
};

/** A card that cannot be used, with the reason as a code beside the English sentence. */
export class UnusableCard extends Error {
  override readonly name: string = "UnusableCard";

  constructor(
    readonly why: CardReason,
    message: string,
  ) {
    super(message);
  }
}

/** The reason of an error in reaching a card. */
export function cardReason(error: unknown): CardReason {
  if (error instanceof UnusableCard) return error.why;
  if (error instanceof CardError) return { code: FAULTS[error.fault] };
  return { code: "failed", values: { problem: messageOf(error) } };
}
