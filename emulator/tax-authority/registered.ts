/** The authority's register: cards, and what each has proved. No service reads or writes it. */
import { type KeyObject, X509Certificate } from "node:crypto";
import { readCertificate } from "../../src/secure-element/certificate.js";

/** A proof of audit that was made for a card. */
export interface IssuedProof {
  /** Of the card's request, hexadecimal. */
  readonly nonce: string;
  /** Scaled by 10,000. */
  readonly sum: bigint;
  /** Total counter up to which the packages were here. */
  readonly upTo: number;
  readonly commandId: string;
  /** What the service has reported; undefined while it has not. */
  readonly accepted?: boolean;
}

/** A request for a proof that waits for packages. */
export interface ProofClaim {
  readonly nonce: string;
  /** Scaled by 10,000. */
  readonly sum: bigint;
  /** ms since the epoch. */
  readonly at: number;
}

/** Counters without a package that a person at the authority has accepted. */
export interface ExplainedCounters {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Card {
  readonly uid: string;
  /** X.509 PEM; undefined where only the UID is known. */
  readonly certificate?: string;
  readonly registeredAt: number;
  /** ms since the epoch. */
  readonly revokedAt?: number;
  /** How the card stood when it was registered: invoices up to this counter are not expected here. */
  readonly start: { readonly counter: number; readonly sum: bigint };
  /** ms when groups of rates were reported as executed, by groupId. */
  readonly groupsKnownAt: Readonly<Record<string, number>>;
  readonly claim?: ProofClaim;
  /** The card's limit, as its last request for a proof said; scaled by 10,000. */
  readonly limit?: bigint;
  readonly proofs: readonly IssuedProof[];
  readonly explained: readonly ExplainedCounters[];
  /** What the service has said last (PUT status), and when. */
  readonly contact?: { readonly online: boolean; readonly at: number };
}

export interface NewCard {
  /** X.509, PEM or DER. */
  readonly certificate: string | Uint8Array;
  readonly start?: { readonly counter: number; readonly sum: bigint };
}

export function newCard(uid: string, at: number): Card {
  const start = { counter: 0, sum: 0n };
  return { uid, registeredAt: at, start, groupsKnownAt: {}, proofs: [], explained: [] };
}

/** Who a certificate belongs to, and the key that it is for. */
export interface Holder {
  readonly uid: string;
  readonly tin: string;
  readonly businessName: string;
  readonly locationName: string;
  readonly publicKey: KeyObject;
}

/** Each package asks for it. */
const read = new Map<string, Holder>();

/** @param certificate PEM or DER @throws Error that says why it is no certificate of a card */
export function holderOf(certificate: string | Uint8Array): Holder {
  const known = typeof certificate === "string" ? read.get(certificate) : undefined;
  if (known) return known;
  const { uid, taxpayer, publicKey } = readCertificate(new X509Certificate(certificate).raw);
  const { tin, businessName, locationName } = taxpayer;
  const holder = { uid, tin, businessName, locationName, publicKey };
  if (typeof certificate === "string") read.set(certificate, holder);
  return holder;
}

/** @param certificate PEM or DER @throws Error that says why it is none */
export function pemOf(certificate: string | Uint8Array): string {
  return new X509Certificate(certificate).toString();
}
