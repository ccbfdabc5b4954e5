/**
 * The rules of the sale, each by its name where it acts. The exploration of the tests switches each of them off in turn,
 * and must then find a way in which a receipt is lost, doubled or kept silent.
 */
export const RULES = {
  intentFirst: "The intent is durable before the card is asked.",
  storeFirst: "The answer is durable before the POS gets it.",
  oneDoubt:
    "While a sale is in doubt, no other is signed, but for a Training receipt on a card that cannot tell its last invoice.",
  compareOnce: "Card and ledger are compared once in a card session, before its first sale.",
  lookUpInTurn: "A RequestId is looked up when its turn has come, not only when it was posted.",
  proven: "A signature is stored as an answer only where the card's certificate proves it.",
  askAgain: "An answer that proves nothing is final only when the card repeats it.",
  sameHeader: "The card's last invoice is the one in doubt only where it repeats the same 57 bytes.",
  notStored: "The card's last invoice is the one in doubt only where the ledger does not have that signature yet.",
  gapLoses: "Where the counter skips, the sale in doubt is lost, never free to be signed again.",
  gapReported: "Counters that the ledger does not have are reported.",
  backReported: "A counter that went back is reported.",
  heldFirst: "A signature that the ledger could not take is held, and written before anything else is signed.",
  refusedGoes: "An intent that the card refused is withdrawn, so that its RequestId is free again.",
  leftNotSigned: "A POS that hung up before its intent was written is not signed.",
  amountsBefore: "Sum and limit of a card that cannot tell its last invoice are read before it signs.",
  countingOnly:
    "An unchanged sum says that a sale was not signed only for a kind of invoice that was seen to count on this card.",
} as const;

export type Rule = keyof typeof RULES;

/** @param rule whether it is in force @param off the one that an exploration has switched off */
export function inForce(rule: Rule, off: Rule | undefined): boolean {
  return rule !== off;
}
