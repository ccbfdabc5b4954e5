/** Turns the protocol's writes into changes of the ledger, and makes the receipts for them. */

import { invoiceNumber } from "../fiscal/counters.js";
import { joinSignAnswer } from "../fiscal/sign-answer.js";
import { type Intent, requesterOf } from "../ledger/intent.js";
import type { Change, Completion } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { adoptedReceipt, type ReceiptContext } from "./adopted.js";
import { answerJson, buildAnswer } from "./answer.js";
import { cardSignatureOf } from "./card-answer.js";
import { cardKeyOf } from "./card-key.js";
import type { DecisionWrite } from "./protocol/decision.js";
import type { Signature, Write } from "./protocol/state.js";

export interface WriteSources extends ReceiptContext {
  /** Returns the intent of a sale in doubt or at work. */
  readonly intent: (id: number) => Intent;
  /** Identity of the card of the last exchange. */
  readonly identity: CardIdentity | undefined;
  /** ms since the epoch. */
  readonly now: number;
}

/** Makes the receipt of an intent that the card has signed. */
function completionOf(intent: Intent, signature: Signature): Completion {
  const answer = cardSignatureOf(signature);
  return {
    totalCounter: answer.totalCounter,
    number: invoiceNumber(requesterOf(intent), intent.uid, answer.totalCounter),
    signature: joinSignAnswer(answer),
    answer: answerJson(buildAnswer(intent, answer)),
  };
}

export function changesOf(writes: readonly Write[], sources: WriteSources): readonly Change[] {
  return writes.flatMap((write) => changeOf(write, sources));
}

function changeOf(write: Write, sources: WriteSources): readonly Change[] {
  const { intent, identity } = sources;
  switch (write.kind) {
    case "complete":
      return [{ kind: "complete", id: write.id, completion: completionOf(intent(write.id), write.signature) }];
    case "unproven": {
      const { uid, totalCounter } = write;
      const signature = joinSignAnswer(cardSignatureOf(write.signature));
      const number = invoiceNumber(uid, uid, totalCounter);
      return [{ kind: "unproven", id: write.id, completion: { totalCounter, number, signature } }];
    }
    case "adopt":
      return identity?.uid === write.uid ? adoption(identity, write.signature, sources) : [];
    default:
      return [changeWithoutReceipt(write, sources)];
  }
}

function changeWithoutReceipt(write: DecisionWrite, { identity, now }: Pick<WriteSources, "identity" | "now">): Change {
  switch (write.kind) {
    case "abandon":
      return { kind: "abandon", id: write.id };
    case "lose":
      return { kind: "lose", id: write.id, totalCounter: write.totalCounter ?? null };
    case "card":
      return cardChange(write, identity);
    case "report": {
      const { uid, reportKind: kind, from = null, to = null, requestId = null } = write;
      return { kind: "report", report: { uid, kind, from, to, requestId, at: now }, known: kind === "decided" };
    }
  }
}

/** Returns a change that stores the certificate too, so that signatures can be checked without the card. */
function cardChange(
  { uid, key, lastCounter, counting }: Extract<Write, { kind: "card" }>,
  identity: CardIdentity | undefined,
): Change {
  const isThis = identity?.uid === uid && cardKeyOf(identity) === key;
  const certificate = isThis ? identity.certificate : undefined;
  return { kind: "card", uid, lastCounter, counting, certificate };
}

/** Returns the change that adopts an invoice; none if the bytes are not an invoice, which is only reported. */
function adoption(identity: CardIdentity, signature: Signature, where: ReceiptContext): readonly Change[] {
  try {
    return [{ kind: "adopt", receipt: adoptedReceipt(identity, cardSignatureOf(signature), where) }];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
