/** Handles requests for proofs of audit (protocol facts, section 8, "Flow"). */
import type { KeyObject } from "node:crypto";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { CallError } from "../../src/http/call-errors.js";
import { NONCE_BYTES, openAuditRequest, sealProofOfAudit } from "../pki/audit.js";
import { BLOCK_BYTES } from "../pki/rsa-block.js";
import type { AuthorityFaults } from "./authority-faults.js";
import type { QueuedCommand } from "./command-queue.js";
import type { OfficeState } from "./office-state.js";
import type { PackageStore } from "./package-store.js";
import { provable } from "./prove-audit.js";
import type { Card } from "./registered.js";

export class Audits {
  constructor(
    private readonly privateKey: KeyObject,
    private readonly state: OfficeState,
    private readonly packages: PackageStore,
    private readonly faults: () => AuthorityFaults,
  ) {}

  /**
   * Accepts a card's request for a proof. If the authority has all packages that the proof needs, it makes the proof at
   * once, otherwise after the last of them has arrived. A repeated request changes nothing.
   * @throws CallError if the card did not make the request, or if `sum` is not the card's sum
   */
  request(card: Card, { auditRequestPayload, sum, limit = card.limit }: SentProofRequest, at: number): void {
    const message = openAuditRequest(auditRequestPayload, this.privateKey);
    if (message?.uid !== card.uid)
      throw new CallError(400, "auditRequestPayload is not this card's answer to Start Audit");
    if (sum !== undefined && message.sum !== sum) {
      throw new CallError(400, `sum is ${sum}, but auditRequestPayload has ${message.sum}`);
    }
    const { nonce } = message;
    // A request is not a repetition if the card has refused its proof: the service may then ask again.
    if (card.proofs.some((proof) => proof.nonce === nonce && proof.accepted !== false)) return;
    // Withdraw earlier proofs: a card knows only its last request and refuses a proof for an earlier one.
    for (const proof of card.proofs) if (proof.accepted === undefined) this.state.queue.withdraw(proof.commandId);
    this.state.put({ ...card, ...(limit === undefined ? {} : { limit }), claim: { nonce, sum: message.sum, at } });
    this.proveWaiting(card.uid);
  }

  /** Why the authority has not yet made the proof that a card waits for; undefined if it waits for none. */
  missing({ claim, ...card }: Card): string | undefined {
    if (!claim) return undefined;
    if (this.faults().holdProofs) return "proofs are held back";
    const provability = provable(card, claim.sum, this.packages.of(card.uid));
    return "missing" in provability ? provability.missing : undefined;
  }

  /** Makes the proof that a card waits for, if all packages that the proof needs have arrived. */
  proveWaiting(uid: string): void {
    const card = this.state.card(uid);
    if (!card?.claim || this.faults().holdProofs) return;
    const { claim, ...rest } = card;
    const provability = provable(card, claim.sum, this.packages.of(uid));
    if ("missing" in provability) return;
    const { nonce, sum } = claim;
    const sealed = { uid, nonce: this.faults().wrongProof ? OTHER_NONCE : nonce, sum };
    const proof = Buffer.from(sealProofOfAudit(sealed, this.privateKey)).toString("base64");
    const { commandId } = this.state.queue.add(uid, COMMAND_TYPE.proofOfAudit, proof);
    this.state.put({ ...rest, proofs: [...card.proofs, { nonce, sum, upTo: provability.upTo, commandId }] });
  }

  reported({ uid, commandId, success }: QueuedCommand): void {
    const card = this.state.card(uid);
    if (!card || success === undefined) return;
    const proofs = card.proofs.map((proof) =>
      proof.commandId === commandId ? { ...proof, accepted: success } : proof,
    );
    this.state.put({ ...card, proofs });
  }
}

/** The nonce for the fault `wrongProof`. No card ever makes a request with it. */
const OTHER_NONCE = "00".repeat(NONCE_BYTES);

export interface SentProofRequest {
  /** The card's block, 256 bytes. */
  readonly auditRequestPayload: Uint8Array;
  /** Scaled by 10,000; undefined if the request is from a stick, which has only the card's block. */
  readonly sum?: bigint;
  /** Scaled by 10,000. */
  readonly limit?: bigint;
}

/** Length of the prefix `01000000`, which the card puts in front of its block. Some programs send the prefix too. */
const PREFIX_BYTES = 4;

/** Removes the prefix, if there is one. @throws CallError 400 if the length is wrong */
export function auditBlock(bytes: Uint8Array): Uint8Array {
  if (bytes.length === BLOCK_BYTES || bytes.length === PREFIX_BYTES + BLOCK_BYTES) return bytes.subarray(-BLOCK_BYTES);
  throw new CallError(
    400,
    `the request for a proof has ${bytes.length} bytes; expected the card's block of ${BLOCK_BYTES} bytes`,
  );
}
