/** Checks reader and card, as far as they can be read without a PIN. */
import type { SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import { type Check, type Examined, fail, ok, warn } from "./check.js";
import { amountLine, cardLine, certificateLine } from "./lines.js";

/** The lines about everything that can be read from the card, or a line that says why the card cannot be read. */
export async function checkCard(secureElement: SecureElement, now: number): Promise<Examined> {
  const state = await secureElement.refresh();
  if (state.kind !== "ready") return { checks: [fail("card", state.reason)], facts: { state } };
  const { identity } = state;
  const amount = await secureElement.amountStatus();
  return {
    checks: [
      cardLine(identity),
      ok("issuer", identity.issuer),
      certificateLine(identity, now),
      await checkTries(secureElement),
      amount.kind === "ok" ? amountLine(amount) : fail("limit", amount.reason),
    ],
    facts: { state: withoutSession(state), amount: amount.kind === "ok" ? amount : undefined },
  };
}

/**
 * The state without a missing PIN. The doctor's own session never has the PIN, but the service's session may have it.
 */
function withoutSession(state: Extract<SecureElementState, { kind: "ready" }>): SecureElementState {
  return state.pin === "required" ? { ...state, pin: "verified" } : state;
}

async function checkTries(secureElement: SecureElement): Promise<Check> {
  const tries = await secureElement.pinTriesLeft();
  if (tries.kind === "no-command") return ok("PIN attempts", "this card cannot report them");
  if (tries.kind !== "ok") return fail("PIN attempts", tries.reason);
  if (tries.pinTriesLeft === 0) return fail("PIN attempts", "0 left: the card is locked");
  return tries.pinTriesLeft === 1
    ? warn("PIN attempts", "1 left: one more wrong PIN locks the card for good")
    : ok("PIN attempts", `${tries.pinTriesLeft} left`);
}
