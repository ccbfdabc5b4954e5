/** Checks reader and card, as far as they can be read without a PIN. Other lines follow from the till's state. */
import type { SecureElement } from "../secure-element/secure-element.js";
import { type Check, fail, ok, warn } from "./check.js";

export async function checkCard(secureElement: SecureElement): Promise<Check[]> {
  const state = await secureElement.refresh();
  if (state.kind !== "ready") return [fail("card", state.reason)];
  const amount = await secureElement.amountStatus();
  return [
    ok("issuer", state.identity.issuer),
    await checkTries(secureElement),
    ...(amount.kind === "ok" ? [] : [fail("limit", amount.reason)]),
  ];
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
