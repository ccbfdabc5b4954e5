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

/** Certificates by the names that their files would have. */
const known = new Map<string, Uint8Array>();

/** Limits the memory of a process that makes cards of many taxpayers. */
const KEPT = 1000;

/**
 * Takes the certificate of a shipped profile from the build, because making it loads node-forge, which is slow.
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

/** Everything that the certificate is made from, as text. */
export function sourceOf(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): string {
  const { uid, taxpayer, taxAuthorityApi, validFrom, validTo } = profile;
  return JSON.stringify([uid, taxpayer, taxAuthorityApi, validFrom, validTo, cardKey, issuing]);
}

/** The slow path: builds the certificate with node-forge. */
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
