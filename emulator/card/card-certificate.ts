/** The certificate of an emulated card: the same profile, key and authority always have the same bytes. */
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { nodeForge } from "../../src/node-forge.js";
import { preparedFile, preparedName } from "../../src/prepared.js";
import { makeCardCertificate, toDer } from "../tax-authority/certificates.js";
import type { EmulatedKeys } from "../tax-authority/keys.js";
import type { CardProfile } from "./profile.js";

/** Ending of the files with prepared certificates. */
export const CERTIFICATE = ".der";

/** By the name of the file that would hold it. */
const known = new Map<string, Uint8Array>();

/** A loop that makes cards of ever new taxpayers must not fill the memory. */
const KEPT = 1000;

/**
 * Takes it from the build where the profile is a shipped one: to make it, node-forge has to be loaded.
 * @param cardKey PEM
 * @returns X.509 DER
 */
export function cardCertificate(profile: CardProfile, cardKey: string, issuing: EmulatedKeys["issuing"]): Uint8Array {
  const source = sourceOf(profile, cardKey, issuing);
  const name = preparedName(source, CERTIFICATE);
  const found = known.get(name);
  if (found) return found;
  const file = preparedFile(source, CERTIFICATE);
  const certificate = file === undefined ? makeCertificate(profile, cardKey, issuing) : readFileSync(file);
  if (known.size === KEPT) known.clear();
  known.set(name, certificate);
  return certificate;
}

/** Everything that it is made from. */
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
