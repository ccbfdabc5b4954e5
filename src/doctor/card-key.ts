/** Checks the key in the card's PKI applet: the applet, the certificate, this Node, and with a PIN the key itself. */
import { X509Certificate } from "node:crypto";
import { signatureBytes, tryKey } from "../authority/token-process.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { messageOf } from "../base/thrown.js";
import { toIso } from "../fiscal/time.js";
import type { KeyElement } from "../secure-element/secure-element.js";
import { type Check, checkValidity, ok, warn } from "./check.js";

const SUBJECT = "authority key";
const CERTIFICATE = "key's certificate";
const ATTEMPTS = "key's PIN attempts";
const NODE = "key and Node";

/** @param pin PIN of the PKI applet, to try the key itself; undefined to check everything else */
export async function checkCardKey(
  element: KeyElement,
  uid: string,
  pin: string | undefined,
  now: EpochMs,
): Promise<Check[]> {
  const key = await element.keyCertificate(uid);
  if (key.kind !== "ok") return [warn(SUBJECT, `${key.reason}; audits go by stick, or name authorityCertificate`)];
  const { left, full } = key.attempts;
  const certificate = checkCertificate(key.certificate, now);
  if (left === 0) return [certificate, warn(ATTEMPTS, "its PIN is locked: ask the tax authority")];
  const attempts =
    left === full
      ? ok(ATTEMPTS, `${left} PIN attempts are left, which is all`)
      : warn(
          ATTEMPTS,
          `${left} PIN attempts are left of ${full ?? "an unknown number"}: enter the right PIN: tillseal pki-pin`,
        );
  return [
    certificate,
    attempts,
    await checkNode(key.certificate),
    ...(await checkKey(element, uid, pin, key.certificate)),
  ];
}

function checkCertificate(der: Uint8Array, now: number): Check {
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(der);
  } catch (error) {
    return warn(CERTIFICATE, `its certificate cannot be read: ${messageOf(error)}`);
  }
  const [validFrom, validTo] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)];
  const dates = `in the card, with a certificate valid ${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  return checkValidity(CERTIFICATE, dates, { validFrom, validTo }, now, "a new card");
}

/** Checks whether this Node can use the certificate: everything except the card works as it does for a token. */
async function checkNode(certificate: Uint8Array): Promise<Check> {
  const { node, openssl } = process.versions;
  try {
    const bytes = signatureBytes(new X509Certificate(certificate));
    await tryKey(certificate, () => Promise.resolve(new Uint8Array(bytes)));
    return ok(NODE, `Node ${node} with OpenSSL ${openssl} can use it`);
  } catch (error) {
    return warn(NODE, `Node ${node} with OpenSSL ${openssl} cannot use it: ${messageOf(error)}`);
  }
}

async function checkKey(element: KeyElement, uid: string, pin: string | undefined, certificate: Uint8Array) {
  if (pin === undefined) return [];
  const verified = await element.verifyKeyPin(uid, pin);
  if (verified.kind === "wrong-pin") return [warn(SUBJECT, `wrong PIN; attempts left: ${verified.pinTriesLeft}`)];
  if (verified.kind === "unknown")
    return [warn(SUBJECT, `the card may have got the PIN, and an attempt may be lost: ${verified.reason}`)];
  if (verified.kind !== "verified") {
    return [warn(SUBJECT, `the PIN was not accepted: ${"reason" in verified ? verified.reason : verified.kind}`)];
  }
  try {
    const isRight = await tryKey(certificate, async (digestInfo) => {
      const signed = await element.signWithKey(uid, pin, digestInfo);
      if (signed.kind === "signed") return signed.signature;
      throw new Error("reason" in signed ? signed.reason : signed.kind);
    });
    const message = "it signs, and its certificate verifies the signature";
    return [isRight ? ok(SUBJECT, message) : warn(SUBJECT, "it signs, but not for its certificate: ask the authority")];
  } catch (error) {
    return [warn(SUBJECT, `it does not sign: ${messageOf(error)}`)];
  }
}
