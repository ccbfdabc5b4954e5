/** Real verification URLs and the key that verifies two of them (fixtures/verification-urls.json). */
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/package-root.js";

export interface RecordedUrl {
  readonly url: string;
  readonly about: string;
  readonly version: number;
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly totalCounter: number;
  readonly transactionTypeCounter: number;
  readonly totalAmount: string;
  readonly dateTimeMs: number;
  readonly invoiceType: number;
  readonly transactionType: number;
  readonly buyerId: string;
  readonly md5Ok: boolean | null;
  readonly tin?: string;
  /** Hexadecimal. */
  readonly publicKeyModulus?: string;
}

export const RECORDED_URLS = JSON.parse(
  readFileSync(join(PACKAGE_ROOT, "fixtures", "verification-urls.json"), "utf8"),
) as [RecordedUrl, RecordedUrl, RecordedUrl, RecordedUrl];

/** PEM of the public key that verifies a recorded signature. */
export function recordedKey({ publicKeyModulus = "" }: RecordedUrl): string {
  const n = Buffer.from(publicKeyModulus, "hex").toString("base64url");
  const key = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
  return key.export({ type: "spki", format: "pem" }).toString();
}
