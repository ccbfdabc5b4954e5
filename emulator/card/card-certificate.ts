/** The certificate of an emulated card. The same profile, key and authority always give the same bytes. */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { makeCardCertificate } from "../pki/certificates.js";
import type { EmulatedKeys } from "../pki/keys.js";
import { issuerOf } from "../pki/x509.js";
import type { CardProfile } from "./profile.js";

/** Keeps each certificate under everything that decides its bytes, because a process of tests makes many equal cards. */
const known = new Map<string, Uint8Array>();

/** Maximum number of kept certificates. It limits the memory of a process that makes cards of many taxpayers. */
const KEPT = 1000;

/** @param cardKey PEM @returns X.509 DER */
export function cardCertificate(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): Uint8Array {
  const { uid, taxpayer, taxAuthorityApi, validFrom, validTo } = profile;
  const source = JSON.stringify([uid, taxpayer, taxAuthorityApi, validFrom, validTo, cardKey, issuing]);
  const cached = known.get(source);
  if (cached) return cached;
  const issuer = issuerOf(new X509Certificate(issuing.certificate), createPrivateKey(issuing.privateKey));
  const subject = { ...taxpayer, uid, taxAuthorityApi };
  const { raw } = makeCardCertificate(subject, createPublicKey(cardKey), { validFrom, validTo }, issuer);
  if (known.size === KEPT) known.clear();
  known.set(source, raw);
  return raw;
}
