/** The card's commands for a sale: Verify PIN and Sign Invoice (protocol facts, sections 1 and 2). */
import { CardError } from "../card-reader.js";
import { type NotReached, PIN_FORM, type PinOutcome, type SignOutcome, type SignRequest } from "../secure-element.js";
import { signsWithCrc, takesAsciiPin } from "./applet-version.js";
import { AMOUNT_STATUS_BYTES, AppletLost, isForeign } from "./card-session.js";
import { type CardSlot, isGone, type OpenCard, pinTriesLeftOf, unexpected } from "./card-slot.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { appendCrc } from "./crc32.js";
import { INS, P1P2_WITH_CRC } from "./instructions.js";
import type { ResponseApdu } from "./response.js";
import { encodeSignRequest } from "./sign-format.js";
import { signOutcome } from "./sign-outcome.js";
import { SW } from "./status-words.js";

export async function verifyPin(slot: CardSlot, card: OpenCard, pin: string): Promise<PinOutcome | NotReached> {
  if (card.pin === "locked") return { kind: "locked" };
  if (!PIN_FORM.test(pin)) return { kind: "wrong-pin" };
  // Digits are sent as numbers, or as ASCII to some versions (protocol facts, section 1).
  const base = takesAsciiPin(card.version) ? 0x30 : 0;
  const data = Uint8Array.from(pin, (digit) => base + Number(digit));
  const { statusWord } = await card.session.exchange({ ins: INS.VERIFY_PIN, data });
  data.fill(0);
  switch (statusWord) {
    case SW.DONE:
      slot.setPin(card, "verified");
      // After a new PIN, try to sign again: the authority may have enabled the card. A counter never goes back.
      if (card.refuses === "disabled") slot.setRefusal(card, undefined);
      return { kind: "verified" };
    case SW.WRONG_PIN_LENGTH:
      return { kind: "wrong-pin" };
    case SW.WRONG_PIN: {
      slot.setPin(card, "required");
      const pinTriesLeft = await pinTriesLeftOf(card).catch((error: unknown) => lostAfterRefusal(slot, error));
      if (pinTriesLeft === 0) slot.setPin(card, "locked");
      return pinTriesLeft === undefined ? { kind: "wrong-pin" } : { kind: "wrong-pin", pinTriesLeft };
    }
    case SW.PIN_TRIES_USED_UP:
      slot.setPin(card, "locked");
      return { kind: "locked" };
    default:
      return unexpected("Verify PIN", statusWord);
  }
}

/** A refused PIN must not be sent again, because that would cost a second attempt. @throws CardError if the card is gone */
async function lostAfterRefusal(slot: CardSlot, error: unknown): Promise<undefined> {
  if (!(error instanceof CardError) || isGone(error)) throw error;
  await slot.lost(error);
}

/** Every secure element knows Amount Status: an applet that refuses it too has not signed. */
async function wasElsewhere({ session }: OpenCard): Promise<boolean> {
  try {
    await session.exchange({ ins: INS.AMOUNT_STATUS, le: AMOUNT_STATUS_BYTES });
    return false;
  } catch (error) {
    if (error instanceof CardError) return error instanceof AppletLost;
    throw error;
  }
}

/** An exchange that breaks off after the command was sent is `unknown`, never `no-card`. */
export async function signInvoice(
  slot: CardSlot,
  card: OpenCard,
  request: SignRequest,
): Promise<SignOutcome | NotReached> {
  const withCrc = signsWithCrc(card.version);
  const plain = encodeSignRequest(request);
  let answer: ResponseApdu;
  try {
    answer = await card.session.exchange({
      ins: INS.SIGN_INVOICE,
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
    // Select the applet again before any other command, above all before the question for the last invoice.
    await slot.lost(new AppletLost("another applet answered"));
    if (isElsewhere) return { kind: "applet-lost" };
  }
  const outcome = signOutcome(answer);
  if (outcome.kind === "pin-required") slot.setPin(card, "required");
  if (outcome.kind === "locked") slot.setPin(card, "locked");
  if (outcome.kind === "disabled" || outcome.kind === "counter-at-end") slot.setRefusal(card, outcome.kind);
  if (outcome.kind === "signed") slot.setRefusal(card, undefined);
  return outcome;
}
