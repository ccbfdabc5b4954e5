/**
 * The messages of audits and directives between card and authority. The real layouts are not public, so the emulated
 * card and authority use these:
 *
 * - request of an audit (encrypted under the authority's key): `A`, UID, 16 bytes of nonce, sum u56
 * - proof of audit (sealed with the authority's private key): `P`, UID, the same nonce, the audited sum u56
 * - directive (sealed): `D`, UID, 1 byte: 1 switches signing off, 2 switches it on
 */
import type { KeyObject } from "node:crypto";
import type { Random } from "../../src/base/random.js";
import { readAmount, writeAmount } from "../../src/fiscal/signing-header.js";
import { decryptBlock, encryptBlock, openSealedBlock, sealBlock } from "./rsa-block.js";

export const NONCE_BYTES = 16;
const MESSAGE_BYTES = 1 + 8 + NONCE_BYTES + 7;

export interface AuditMessage {
  readonly uid: string;
  /** 16 bytes, hexadecimal. */
  readonly nonce: string;
  readonly sum: bigint;
}

const DIRECTIVE_CODES = { disable: 1, enable: 2 } as const;
export type DirectiveAction = keyof typeof DIRECTIVE_CODES;
export const DIRECTIVE_ACTIONS = Object.keys(DIRECTIVE_CODES) as DirectiveAction[];

function encodeMessage(kind: "A" | "P", { uid, nonce, sum }: AuditMessage): Uint8Array {
  return Buffer.concat([Buffer.from(kind + uid, "latin1"), Buffer.from(nonce, "hex"), writeAmount(sum)]);
}

function decodeMessage(kind: "A" | "P", bytes: Uint8Array | undefined): AuditMessage | undefined {
  if (bytes?.length !== MESSAGE_BYTES || bytes[0] !== kind.charCodeAt(0)) return undefined;
  const view = Buffer.from(bytes);
  return {
    uid: view.toString("latin1", 1, 9),
    nonce: view.toString("hex", 9, 9 + NONCE_BYTES),
    sum: readAmount(view, 9 + NONCE_BYTES),
  };
}

/** For the card: returns the 256-byte block of Start Audit. */
export function encryptAuditRequest(message: AuditMessage, authorityKey: KeyObject, random: Random): Uint8Array {
  return encryptBlock(encodeMessage("A", message), authorityKey, random);
}

/** For the authority: returns the content of a card's audit request; undefined if the request is not genuine. */
export function openAuditRequest(request: Uint8Array, authorityPrivateKey: KeyObject): AuditMessage | undefined {
  return decodeMessage("A", decryptBlock(request, authorityPrivateKey));
}

/** For the authority: returns the proof of audit that the card accepts for this request. */
export function sealProofOfAudit(message: AuditMessage, authorityPrivateKey: KeyObject): Uint8Array {
  return sealBlock(encodeMessage("P", message), authorityPrivateKey);
}

/** For the authority: returns the proof for a card's audit request; undefined if the request is not genuine. */
export function proofOfAudit(request: Uint8Array, authorityPrivateKey: KeyObject): Uint8Array | undefined {
  const message = openAuditRequest(request, authorityPrivateKey);
  return message && sealProofOfAudit(message, authorityPrivateKey);
}

/** For the card: returns the content of a proof of audit; undefined if the authority did not make the proof. */
export function openProofOfAudit(proof: Uint8Array, authorityKey: KeyObject): AuditMessage | undefined {
  return decodeMessage("P", openSealedBlock(proof, authorityKey));
}

export function makeDirective(action: DirectiveAction, uid: string, authorityPrivateKey: KeyObject): Uint8Array {
  const plain = Buffer.concat([Buffer.from(`D${uid}`, "latin1"), Buffer.from([DIRECTIVE_CODES[action]])]);
  return sealBlock(plain, authorityPrivateKey);
}

/** For the card: undefined if the directive is not from the authority or is for another card. */
export function openDirective(
  directive: Uint8Array,
  uid: string,
  authorityKey: KeyObject,
): DirectiveAction | undefined {
  const plain = openSealedBlock(directive, authorityKey);
  if (plain?.length !== 10 || Buffer.from(plain).toString("latin1", 0, 9) !== `D${uid}`) return undefined;
  return DIRECTIVE_ACTIONS.find((action) => DIRECTIVE_CODES[action] === plain[9]);
}
