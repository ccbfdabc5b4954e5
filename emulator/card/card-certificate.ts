/** The certificate of an emulated card. The same profile, key and authority always give the same bytes. */
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { nodeForge } from "../../src/base/node-forge.js";
import { preparedFile, preparedName } from "../../src/base/prepared.js";
import { makeCardCertificate, toDer } from "../pki/certificates.js";
import type { EmulatedKeys } from "../pki/keys.js";
import type { CardProfile } from "./profile.js";

/** Extension of files with prepared certificates. */
export const CERTIFICATE = ".der";

/** Keeps each certificate under the name that its prepared file has or would have. */
const known = new Map<string, Uint8Array>();

/** Maximum number of kept certificates. It limits the memory of a process that makes cards of many taxpayers. */
const KEPT = 1000;

/**
 * Returns the certificate of a card. The build has the certificates of shipped profiles, because making one loads
 * node-forge, which is slow.
 * @param cardKey PEM
 * @returns X.509 DER
 */
export function cardCertificate(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): Uint8Array {
  const source = sourceOf(profile, cardKey, issuing);
  const name = preparedName(source, CERTIFICATE);
  const cached = known.get(name);
  if (cached) return cached;
  const file = preparedFile(source, CERTIFICATE);
  const certificate = file === undefined ? makeCertificate(profile, cardKey, issuing) : readFileSync(file);
  if (known.size === KEPT) known.clear();
  known.set(name, certificate);
  return certificate;
}

/** Returns everything that decides the bytes of the certificate, as text. */
export function sourceOf(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): string {
  const { uid, taxpayer, taxAuthorityApi, validFrom, validTo } = profile;
  return JSON.stringify([uid, taxpayer, taxAuthorityApi, validFrom, validTo, cardKey, issuing]);
}

/** Makes a certificate with node-forge, which is slow. */
export function makeCertificate(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): Uint8Array {
  const { uid, taxpayer, taxAuthorityApi, validFrom, validTo } = profile;
  const { pki } = nodeForge();
  const { n, e } = pki.privateKeyFromPem(cardKey);
  const issuer = {
    certificate: pki.certificateFromPem(issuing.certificate),
    privateKey: createPrivateKey(issuing.privateKey),
  };
  const subject = { ...taxpayer, uid, taxAuthorityApi };
  return toDer(makeCardCertificate(subject, pki.setRsaPublicKey(n, e), { validFrom, validTo }, issuer));
}
