/** Interprets the card's answer to Sign Invoice (protocol facts, sections 1 and 2). */
import type { SignOutcome } from "../secure-element.js";
import type { ResponseApdu } from "./response.js";
import { decodeSignAnswer } from "./sign-format.js";
import { describeStatusWord, SW } from "./status-words.js";

/** Returns the outcome of Sign Invoice. Does not check the signature: the caller checks it. */
export function signOutcome(answer: ResponseApdu): SignOutcome {
  switch (answer.statusWord) {
    case SW.DONE: {
      const signature = decodeSignAnswer(answer.data);
      if (!signature) return { kind: "unknown", reason: `Sign Invoice answered ${answer.data.length} odd bytes` };
      return { kind: "signed", signature };
    }
    case SW.PIN_REQUIRED:
      return { kind: "pin-refused" };
    case SW.PIN_TRIES_USED_UP:
      return { kind: "lock-refused" };
    case SW.AMOUNT_LIMIT_REACHED:
      return { kind: "limit-reached" };
    case SW.SIGNING_DISABLED:
      return { kind: "disabled" };
    case SW.COUNTER_AT_END:
      return { kind: "counter-at-end" };
    case SW.TOO_MANY_TAX_CATEGORIES:
      return { kind: "too-many-categories" };
    case SW.BAD_DATA:
    case SW.WRONG_LENGTH:
      return { kind: "bad-data" };
    case SW.TIME_OUTSIDE_CERTIFICATE:
      return { kind: "time-outside-certificate" };
    default:
      // An undocumented status word does not show whether the card has signed.
      return { kind: "unknown", reason: `Sign Invoice answered ${describeStatusWord(answer.statusWord)}` };
  }
}
