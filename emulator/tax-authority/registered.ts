/** The authority's register: cards and their proofs of audit. No service reads or writes the register. */

import { type KeyObject, X509Certificate } from "node:crypto";
import type { EpochMs } from "../../src/base/epoch-ms.js";
import type { Taxpayer } from "../../src/fiscal/invoice.js";
import { readCertificate } from "../../src/secure-element/certificate.js";

export interface IssuedProof {
  /** The nonce of the card's request, hexadecimal. */
  readonly nonce: string;
  /** Scaled by 10,000. */
  readonly sum: bigint;
  /** Total counter up to which all packages had arrived. */
  readonly upTo: number;
  readonly commandId: string;
  /** Whether the card accepted the proof; undefined until the service has reported it. */
  readonly accepted?: boolean;
}

/** Counters without a package, which a person at the authority has accepted. */
export interface ExplainedCounters {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Card {
  readonly uid: string;
  /** X.509 PEM; undefined if only the UID is known. */
  readonly certificate?: string;
  readonly registeredAt: number;
  readonly revokedAt?: EpochMs;
  /** The card's counter and sum at its registration: the authority expects no invoices up to this counter. */
  readonly start: { readonly counter: number; readonly sum: bigint };
  /** When the service first reported that it uses the rate group, for each groupId. */
  readonly groupsKnownAt: Readonly<Record<string, number>>;
  /** The request for a proof that waits: its nonce, and the sum scaled by 10,000. */
  readonly claim?: { readonly nonce: string; readonly sum: bigint; readonly at: EpochMs };
  /** The card's limit in its last request for a proof; scaled by 10,000. */
  readonly limit?: bigint;
  readonly proofs: readonly IssuedProof[];
  readonly explained: readonly ExplainedCounters[];
  /** The service's last report of its status (PUT status). */
  readonly contact?: { readonly online: boolean; readonly at: number };
}

export interface NewCard {
  /** X.509, PEM or DER. */
  readonly certificate: string | Uint8Array;
  readonly start?: Card["start"];
}

export function newCard(uid: string, at: number): Card {
  const start = { counter: 0, sum: 0n };
  return { uid, registeredAt: at, start, groupsKnownAt: {}, proofs: [], explained: [] };
}

/** The holder of a certificate, and its public key. */
export interface Holder extends Taxpayer {
  readonly uid: string;
  readonly publicKey: KeyObject;
}

/** By PEM, because the check of every package needs the card's holder. */
const read = new Map<string, Holder>();

/** @param certificate PEM or DER @throws Error if it is not that of a card */
export function holderOf(certificate: string | Uint8Array): Holder {
  const known = typeof certificate === "string" ? read.get(certificate) : undefined;
  if (known) return known;
  const { uid, taxpayer, publicKey } = readCertificate(new X509Certificate(certificate).raw);
  const holder = { uid, publicKey, ...taxpayer };
  if (typeof certificate === "string") read.set(certificate, holder);
  return holder;
}

/** @param certificate PEM or DER @throws Error with the reason if it is not a certificate */
export function pemOf(certificate: string | Uint8Array): string {
  return new X509Certificate(certificate).toString();
}
