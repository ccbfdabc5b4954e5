/** Turns the protocol's writes into changes of the ledger, and makes the receipts for them. */

import type { Clock } from "../base/clock.js";
import type { EnvironmentInForce } from "../config/environment-in-force.js";
import { invoiceNumber } from "../fiscal/counters.js";
import { type Intent, requesterOf } from "../ledger/intent.js";
import type { Change, Completion, Ledger, NewReport, Report } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { adoptedReceipt } from "./adopted.js";
import { answerJson, buildAnswer } from "./answer.js";
import { cardKeyOf, cardSignatureOf, hex } from "./card-answer.js";
import type { OpenIntent, Signature, Write } from "./protocol/state.js";

/** The header of a damaged entry fits no signature. @throws Error on a bug in the protocol */
export function requireIntent({ id, intent }: Pick<OpenIntent, "id" | "intent">): Intent {
  if (!intent) throw new Error(`the intent ${id} is damaged`);
  return intent;
}

/** Makes the receipt of an intent that the card has signed. */
function completionOf(intent: Intent, signature: Signature): Completion {
  const { totalCounter, bytes } = signature;
  return {
    totalCounter,
    number: invoiceNumber(requesterOf(intent), intent.uid, totalCounter),
    signature: Buffer.from(bytes, "hex"),
    answer: answerJson(buildAnswer(intent, cardSignatureOf(signature))),
  };
}

/**
 * Leaves out receipts that the ledger already has: a card whose counter went back may later have its old counter again.
 * Also leaves out a report of unproven bytes while such a report is open, because the card may repeat these bytes in
 * every session.
 * @throws LedgerError
 */
export async function withoutKnownChanges(ledger: Ledger, changes: readonly Change[]): Promise<readonly Change[]> {
  // The changes of a normal sale need no look-up.
  if (!changes.some(({ kind: change }) => change === "adopt" || change === "report")) return changes;
  const isKnown = async (change: Change) => {
    if (change.kind === "report") return (await ledger.reports()).some((open) => isWaiting(open, change.report));
    if (change.kind !== "adopt") return false;
    const { number, signature } = change.receipt;
    const entries = await ledger.byNumber(number);
    return entries.some((entry) => entry.signature && hex(entry.signature) === hex(signature));
  };
  const known = await Promise.all(changes.map(isKnown));
  return changes.filter((_, i) => !known[i]);
}

function isWaiting(open: Report, { uid, kind, from }: NewReport): boolean {
  return kind === "unproven" && from === null && open.uid === uid && open.kind === kind && open.from === null;
}

/** @param identity that of the card of the last exchange */
export function changesOf(
  write: Write,
  identity: CardIdentity | undefined,
  inForce: Pick<EnvironmentInForce, "now">,
  clock: Clock,
): readonly Change[] {
  switch (write.kind) {
    case "complete":
      return [{ kind: "complete", id: write.id, completion: completionOf(requireIntent(write), write.signature) }];
    case "unproven": {
      const { uid, totalCounter } = write;
      const signature = Buffer.from(write.signature.bytes, "hex");
      const number = invoiceNumber(uid, uid, totalCounter);
      return [{ kind: "unproven", id: write.id, completion: { totalCounter, number, signature } }];
    }
    case "adopt":
      return identity?.uid === write.uid ? adoption(identity, write.signature, inForce) : [];
    case "abandon":
      return [{ kind: "abandon", id: write.id }];
    case "lose":
      return [{ kind: "lose", id: write.id, totalCounter: write.totalCounter ?? null }];
    case "card": {
      const { uid, key, lastCounter, counting } = write;
      const isThis = identity?.uid === uid && cardKeyOf(identity) === key;
      // With the certificate, signatures can be checked without the card.
      const certificate = isThis ? identity.certificate : undefined;
      return [{ kind: "card", uid, lastCounter, counting, certificate }];
    }
    case "report": {
      const { uid, reportKind: kind, from = null, to = null, requestId = null } = write;
      const report = { uid, kind, from, to, requestId, at: clock.now() };
      return [{ kind: "report", report, known: kind === "decided" }];
    }
  }
}

/** Returns the change that adopts an invoice; none if the bytes are not an invoice, which is only reported. */
function adoption(
  identity: CardIdentity,
  signature: Signature,
  inForce: Pick<EnvironmentInForce, "now">,
): readonly Change[] {
  try {
    return [
      { kind: "adopt", receipt: adoptedReceipt(identity, cardSignatureOf(signature), inForce.now().environment) },
    ];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}
