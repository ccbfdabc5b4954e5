/**
 * The rules of the sale, which the sources of the protocol keep. `rules-off.ts` breaks each of them in turn, and the
 * exploration must then find a way in which a receipt is lost, duplicated or not reported.
 */
export const RULES = {
  intentFirst: "The intent is durable before the card is asked.",
  storeFirst: "The answer is durable before the POS gets it.",
  oneDoubt:
    "While a sale is in doubt, no other is signed. A Training receipt may be, on a card without the command for its last invoice.",
  compareOnce: "Card and ledger are compared once in a card session, before its first sale.",
  lookUpInTurn: "A RequestId is looked up when its turn comes, not only when it is posted.",
  proven: "A signature is stored as an answer only if the card's certificate proves it.",
  intentHeader: "A signature is the answer to a sale only if it has the same 57 bytes as the sale's intent.",
  askAgain: "An answer that proves nothing is final only when the card repeats it.",
  sameHeader: "The card's last invoice is the sale in doubt only if it has the same 57 bytes.",
  notStored: "The card's last invoice is the sale in doubt only if the ledger does not have that signature yet.",
  gapLoses: "If the counter skips, the sale in doubt is lost. It is not free to be signed again.",
  gapReported: "Counters that the ledger does not have are reported.",
  backReported: "A counter that went back is reported.",
  swapReported: "A second card is reported, though it has the UID of the first one: its key is another one.",
  heldFirst: "A signature that the ledger did not take is held in memory, and written before anything else is signed.",
  refusalChecked: "A refusal is believed only when the card's last invoice shows that it has not signed.",
  refusedGoes: "An intent that the card refused is withdrawn, so that its RequestId is free again.",
  leftNotSigned: "A POS that hung up before its intent was written is not signed.",
  amountsBefore: "Sum and limit are read before a card signs that has no command for its last invoice.",
  countingOnly:
    "An unchanged sum says that a sale was not signed only for a kind of invoice that was seen to count on this card.",
  auditWaits: "No audit starts or ends while a sale is in doubt.",
  coversAtStart: "An audit covers the sales that were stored when it started, and none that was signed later.",
  proofMarked: "We record that we send a proof before we send it.",
  proofTaken: "Packages are proven only if the card has taken the proof.",
} as const;

export type Rule = keyof typeof RULES;

export const RULE_NAMES = Object.keys(RULES) as readonly Rule[];
