/** Interprets the card's answer to Sign Invoice (protocol facts, sections 1 and 2). */
import type { SignOutcome } from "../secure-element.js";
import type { ResponseApdu } from "./response.js";
import { decodeSignAnswer } from "./sign-format.js";
import { describeStatusWord, SW } from "./status-words.js";

/** The caller checks the signature. */
export function signOutcome(answer: ResponseApdu): SignOutcome {
  switch (answer.statusWord) {
    case SW.DONE: {
      const signature = decodeSignAnswer(answer.data);
      if (!signature) return { outcome: "unknown", reason: `Sign Invoice answered ${answer.data.length} odd bytes` };
      return { outcome: "signed", signature };
    }
    case SW.PIN_REQUIRED:
      return { outcome: "pin-required" };
    case SW.PIN_TRIES_USED_UP:
      return { outcome: "locked" };
    case SW.AMOUNT_LIMIT_REACHED:
      return { outcome: "limit-reached" };
    case SW.SIGNING_DISABLED:
      return { outcome: "disabled" };
    case SW.COUNTER_AT_END:
      return { outcome: "counter-at-end" };
    case SW.TOO_MANY_TAX_CATEGORIES:
      return { outcome: "too-many-categories" };
    case SW.BAD_DATA:
    case SW.WRONG_LENGTH:
      return { outcome: "bad-data" };
    case SW.TIME_OUTSIDE_CERTIFICATE:
      return { outcome: "time-outside-certificate" };
    default:
      // An undocumented status word says nothing about the counters.
      return { outcome: "unknown", reason: `Sign Invoice answered ${describeStatusWord(answer.statusWord)}` };
  }
}
