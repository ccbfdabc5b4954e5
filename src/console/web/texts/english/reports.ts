/** English texts about reports that a person confirms, and about sales in doubt. */
export const REPORTS = {
  reports: "What you should know",
  since: "Since {time}",
  behind: "The card has counted invoices {from} to {to}, and this service does not have them.",
  behindOne: "The card has counted invoice {from}, and this service does not have it.",
  adoptedLast: "Invoices {from} to {to}: this service has number and amount of the last one, and lacks the others.",
  adoptedOne: "Invoice {from}: this service has its number and amount, and lacks its text.",
  behindTodo:
    "Find out where they were signed: on another machine, by another program, or here before a backup was restored. Keep what you find there.",
  behindAsk: "Confirm that these receipts are elsewhere?",
  wentBack: "The card's counter went back from {from} to {to}.",
  wentBackTodo:
    "Two cards with the same number are in use, or the card has lost its memory. Ask the tax authority before you sell more.",
  wentBackAsk: "Confirm that you know why the counter went back?",
  swappedReport: "Another card has the same number as the card before.",
  swappedTodo:
    "Two cards with the same number are in use. Put the first one back, and ask the tax authority before you sell more.",
  swappedAsk: "Confirm that you know where both cards come from?",
  lostReport: "The card has counted invoice {from}, and its receipt is lost.",
  lostUncounted: "The card may have counted a sale, and its receipt is lost.",
  lostTodo: "Report it to the tax authority. If the customer has no receipt, sell it again as a new sale.",
  unprovenReport: "The card has signed invoice {from}, and its signature is damaged. There is no valid receipt.",
  unprovenTodo:
    "Report it to the tax authority, and sell it again as a new sale. If this happens again, ask for a new card.",
  reportedAsk: "Confirm that you have reported it to the tax authority?",
  confirm: "Confirm",
  saleInDoubt: "The card may have signed this sale: this store does not have its answer.",
  wayPin:
    "Enter the card's PIN. If you have done that, take the card out, put it in again and enter the PIN: the card then says whether it has signed.",
  wayCard:
    "Put in the card {uid} and enter its PIN: it then says whether it has signed. Decide yourself only if you do not have the card any more; if it comes back, its own record decides.",
  wayTraining: "This card cannot say whether it has signed. Sign one Training receipt: its number shows it.",
  wayPerson: "The card cannot say whether it has signed. Ask the tax authority whether it has this sale, and decide.",
  signTraining: "Sign a Training receipt",
  trainingAsk: "Sign one Training receipt?",
  trainingMeans:
    "It is no fiscal receipt. The card counts it, and its number shows whether the card has signed the sale.",
  wasSigned: "It was signed",
  signedAsk: "Was this sale signed?",
  signedMeans:
    "This is final. The sale gets no receipt: report it to the tax authority, and sell it again as a new sale if the customer has none.",
  wasNotSigned: "It was not signed",
  notSignedAsk: "Was this sale not signed?",
  notSignedMeans:
    "This is final. The till can then send the sale again, and the card signs it. If it was signed before, it is counted twice.",
  settledSigned: "The card had signed the sale. The page Receipts has it.",
  settledLost: "The card had signed the sale, and its receipt is lost or damaged.",
  settledNotSigned: "The card had not signed the sale. Sell it again.",
} as const;
