/** The card's commands for a sale: Verify PIN and Sign Invoice (protocol facts, sections 1 and 2). */
import { CardError } from "../card-reader.js";
import { type NotReached, PIN_FORM, type PinOutcome, type SignOutcome, type SignRequest } from "../secure-element.js";
import { signsWithCrc, takesAsciiPin } from "./applet-version.js";
import { AMOUNT_STATUS_BYTES, AppletLost, isForeign } from "./card-session.js";
import { type CardSlot, isGone, type OpenCard, pinTriesLeftOf, unexpected } from "./card-slot.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { INS, P1P2_WITH_CRC } from "./instructions.js";
import type { ResponseApdu } from "./response.js";
import { appendCrc, decodeSignAnswer, encodeSignRequest } from "./sign-format.js";
import { describeStatusWord, hexOf, reportedTries, SW } from "./status-words.js";

const SIGN_REFUSALS = new Map<
  number,
  Exclude<SignOutcome["kind"], "signed" | "unknown" | "refused" | NotReached["kind"]>
>([
  [SW.PIN_REQUIRED, "pin-refused"],
  [SW.PIN_TRIES_USED_UP, "lock-refused"],
  [SW.AMOUNT_LIMIT_REACHED, "limit-reached"],
  [SW.SIGNING_DISABLED, "disabled"],
  [SW.COUNTER_AT_END, "counter-at-end"],
  [SW.TOO_MANY_TAX_CATEGORIES, "too-many-categories"],
  [SW.BAD_DATA, "bad-data"],
  [SW.WRONG_LENGTH, "bad-data"],
  [SW.TIME_OUTSIDE_CERTIFICATE, "time-outside-certificate"],
]);

export async function verifyPin(slot: CardSlot, card: OpenCard, pin: string): Promise<PinOutcome> {
  if (card.pin === "locked") return { kind: "locked" };
  if (!PIN_FORM.test(pin)) return { kind: "wrong-pin" };
  // Most versions take the digits as numbers, some versions take them as ASCII (protocol facts, section 1).
  const base = takesAsciiPin(card.identity.appletVersion) ? 0x30 : 0;
  const data = Uint8Array.from(pin, (digit) => base + Number(digit));
  const answer = await card.session.exchange({ ins: INS.verifyPin, data });
  data.fill(0);
  if (isForeign(answer) && (await wasElsewhere(card))) throw new AppletLost(undefined, { sent: false });
  const { statusWord } = answer;
  const reported = reportedTries(statusWord);
  switch (reported === undefined ? statusWord : reported === 0 ? SW.PIN_TRIES_USED_UP : SW.WRONG_PIN) {
    case SW.DONE:
      slot.setPin(card, "verified");
      // Let the next sale try the card again, because the authority may have enabled it. A counter at its end stays so.
      if (card.refuses === "disabled") slot.setRefusal(card, undefined);
      return { kind: "verified" };
    case SW.WRONG_PIN_LENGTH:
      return { kind: "wrong-pin" };
    case SW.VERIFICATION_FAILED:
    case SW.WRONG_PIN: {
      slot.setPin(card, "required");
      const pinTriesLeft = reported ?? (await triesAfterRefusal(slot, card));
      if (pinTriesLeft === 0) slot.setPin(card, "locked");
      return pinTriesLeft === undefined ? { kind: "wrong-pin" } : { kind: "wrong-pin", pinTriesLeft };
    }
    case SW.AUTHENTICATION_BLOCKED:
    case SW.PIN_TRIES_USED_UP: {
      const pinTriesLeft = await triesAfterRefusal(slot, card);
      // The card answered an earlier command if attempts are left.
      slot.setPin(card, pinTriesLeft ? "required" : "locked");
      return pinTriesLeft ? unclearPin(statusWord) : { kind: "locked" };
    }
    case SW.PIN_REQUIRED:
    case SW.WRONG_LENGTH:
      // The card has not compared the PIN.
      return unexpected("Verify PIN", statusWord);
    default:
      return unclearPin(statusWord);
  }
}

function unclearPin(statusWord: number): PinOutcome {
  return { kind: "unreachable", reason: `the card answered ${hexOf(statusWord)} to the PIN`, unclear: true };
}

/**
 * Asks for the attempts that are left. Does not throw if the card is still there: the caller could send the refused PIN
 * again, which would cost a second attempt. @throws CardError if the card is gone
 */
async function triesAfterRefusal(slot: CardSlot, card: OpenCard): Promise<number | undefined> {
  try {
    return await pinTriesLeftOf(card);
  } catch (error) {
    if (!(error instanceof CardError) || isGone(error)) throw error;
    await slot.lost(error);
    return undefined;
  }
}

/** Whether another applet refused a command: it refuses Amount Status too, which every secure element knows. */
async function wasElsewhere({ session }: OpenCard): Promise<boolean> {
  try {
    await session.exchange({ ins: INS.amountStatus, le: AMOUNT_STATUS_BYTES });
    return false;
  } catch (error) {
    if (error instanceof CardError) return error instanceof AppletLost;
    throw error;
  }
}

/** Signs an invoice. If the exchange breaks off after the command was sent, the outcome is `unknown`, not `no-card`. */
export async function signInvoice(slot: CardSlot, card: OpenCard, request: SignRequest): Promise<SignOutcome> {
  if (card.pin !== "verified") return { kind: card.pin === "locked" ? "locked" : "pin-required" };
  const withCrc = signsWithCrc(card.identity.appletVersion);
  const plain = encodeSignRequest(request);
  let answer: ResponseApdu;
  try {
    answer = await card.session.exchange({
      ins: INS.sign,
      data: withCrc ? appendCrc(plain) : plain,
      le: EXTENDED_LE_MAX,
      ...(withCrc ? { p1p2: P1P2_WITH_CRC } : {}),
    });
  } catch (error) {
    if (!(error instanceof CardError)) throw error;
    await slot.lost(error);
    if (error.sent) return { kind: "unknown", reason: error.message };
    // Another program has reset the card: the card is there, but the PIN session is gone.
    return error.fault === "reset" ? { kind: "pin-required" } : slot.notReached();
  }
  if (isForeign(answer)) {
    const isElsewhere = await wasElsewhere(card);
    // Ends the session. The applet is then selected again before the next command, which may ask for the last invoice.
    await slot.lost(new AppletLost());
    if (isElsewhere) return { kind: "applet-lost" };
  }
  const outcome = signOutcome(answer);
  if (outcome.kind === "lock-refused") return afterLocked(slot, card);
  if (outcome.kind === "pin-refused") slot.setPin(card, "required");
  const { kind } = outcome;
  if (kind === "disabled" || kind === "counter-at-end" || kind === "refused") slot.setRefusal(card, kind);
  if (outcome.kind === "signed") slot.setRefusal(card, undefined);
  return outcome;
}

/** Returns the outcome of Sign Invoice. Does not check the signature: the caller checks it. */
function signOutcome({ statusWord, data }: ResponseApdu): SignOutcome {
  const refusal = SIGN_REFUSALS.get(statusWord);
  if (refusal) return { kind: refusal };
  if (statusWord === SW.SECURITY_NOT_SATISFIED || statusWord === SW.CONDITIONS_NOT_SATISFIED) {
    return { kind: "refused", reason: describeStatusWord(statusWord) };
  }
  const signature = statusWord === SW.DONE ? decodeSignAnswer(data) : undefined;
  if (signature) return { kind: "signed", signature };
  // An undocumented status word does not show whether the card has signed.
  const answer = statusWord === SW.DONE ? `${data.length} odd bytes` : describeStatusWord(statusWord);
  return { kind: "unknown", reason: `Sign Invoice answered ${answer}` };
}

/** Asks for the attempts that are left, because a card that counts as locked gets no PIN any more. */
async function afterLocked(slot: CardSlot, card: OpenCard): Promise<SignOutcome> {
  let pinTriesLeft: number | undefined;
  try {
    pinTriesLeft = await pinTriesLeftOf(card);
  } catch (error) {
    if (!(error instanceof CardError)) throw error;
    await slot.lost(error);
    return { kind: "unknown", reason: error.message };
  }
  slot.setPin(card, pinTriesLeft ? "required" : "locked");
  if (pinTriesLeft === undefined) return { kind: "lock-refused" };
  return { kind: pinTriesLeft === 0 ? "locked" : "pin-refused" };
}
