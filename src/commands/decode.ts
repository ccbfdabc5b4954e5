/** `tillseal decode`: shows the content of a verification URL, and whether its hash and its signature are right. */
import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { Command } from "commander";
import { at, ConfigError } from "../config/config-error.js";
import { readBytes } from "../config/read-file.js";
import { toFixed } from "../fiscal/money.js";
import { isSignatureValid } from "../fiscal/signature.js";
import { toIso } from "../fiscal/time.js";
import {
  type DecodedVerificationUrl,
  decodeVerificationUrl,
  VerificationUrlError,
} from "../fiscal/verification-url.js";
import { readCertificate } from "../secure-element/certificate.js";
import { endWith } from "./surroundings.js";
import { printJson, printTable } from "./terminal.js";

interface DecodeFlags {
  readonly json?: boolean;
  readonly key?: string;
  readonly tin?: string;
}

export function decodeCommand(): Command {
  return new Command("decode")
    .description("show the fields of a verification URL and check its hash and signature")
    .argument("<url>", "the address from the QR code, or its base64 text")
    .option("--json", "machine readable")
    .option("--key <file>", "public key (PEM) or certificate (PEM or DER) of the card, to check the signature")
    .option("--tin <tin>", "TIN of the taxpayer, which the signature covers; not needed with the certificate of a card")
    .action((url: string, flags: DecodeFlags) => {
      const decoded = decodeOrExplain(url);
      const signatureValid = checkSignature(decoded, flags);
      const report = reportOf(decoded, signatureValid);
      if (flags.json) printJson(report);
      else printTable(rowsOf(report));
      if (decoded.hashValid === false || signatureValid === false) endWith(1);
    });
}

function decodeOrExplain(url: string): DecodedVerificationUrl {
  try {
    return decodeVerificationUrl(url);
  } catch (error) {
    if (error instanceof VerificationUrlError) throw new ConfigError(`not a verification URL: ${error.message}`);
    throw error;
  }
}

/** @returns null without `--key`, because nothing was checked */
function checkSignature(decoded: DecodedVerificationUrl, { key: file, tin }: DecodeFlags): boolean | null {
  if (file === undefined) return null;
  const verifier = readVerifier(file);
  // The certificate of an online service names the authority; the signature covers the TIN of the taxpayer.
  const taxpayer = tin ?? (isOnline(decoded) ? undefined : verifier.tin);
  if (taxpayer === undefined) throw new ConfigError("the signature covers the taxpayer's TIN: give it with --tin");
  return isSignatureValid(decoded, taxpayer, verifier.key);
}

/** @returns no TIN if the file is a public key, or if the certificate has none */
function readVerifier(file: string): { readonly key: KeyObject; readonly tin: string | undefined } {
  const content = at("--key", () => readBytes(file));
  try {
    if (content.includes("PUBLIC KEY-----")) return { key: createPublicKey(content), tin: undefined };
    const certificate = new X509Certificate(content);
    return { key: certificate.publicKey, tin: tinOf(certificate) };
  } catch {
    throw new ConfigError(`--key: ${file} is neither a public key in PEM nor a certificate in PEM or DER`);
  }
}

function tinOf(certificate: X509Certificate): string | undefined {
  try {
    return readCertificate(certificate.raw).taxpayer.tin;
  } catch {
    return undefined;
  }
}

/** Whether an online service of the authority has signed, and not the taxpayer's card (protocol facts, section 10). */
function isOnline({ requestedBy, signedBy }: DecodedVerificationUrl): boolean {
  return requestedBy !== signedBy;
}

function reportOf(decoded: DecodedVerificationUrl, signatureValid: boolean | null) {
  return {
    version: decoded.version,
    requestedBy: decoded.requestedBy,
    signedBy: decoded.signedBy,
    signer: isOnline(decoded) ? "online service" : "card",
    totalCounter: decoded.totalCounter,
    transactionTypeCounter: decoded.transactionTypeCounter,
    totalAmount: toFixed(decoded.totalAmount, 4),
    dateTime: toIso(decoded.time),
    invoiceType: decoded.invoiceType,
    transactionType: decoded.transactionType,
    buyerId: decoded.buyerId,
    hashValid: decoded.hashValid,
    signatureValid,
  };
}

function rowsOf({ hashValid, signatureValid, ...fields }: ReturnType<typeof reportOf>): string[][] {
  const texts = {
    ...fields,
    hashValid: hashValid === null ? "none in this version" : verdict(hashValid),
    signatureValid: signatureValid === null ? "not checked" : verdict(signatureValid),
  };
  return Object.entries(texts).map(([name, value]) => [name, String(value)]);
}

const verdict = (valid: boolean) => (valid ? "valid" : "INVALID");
