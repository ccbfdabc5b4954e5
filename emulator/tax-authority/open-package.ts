/** Opens audit packages. Only the holder of the authority's key can do this (protocol facts, section 8, "Package"). */
import { createDecipheriv, type KeyObject } from "node:crypto";
import type { AuditPackage } from "../../src/authority/tax-authority.js";
import { CallError } from "../../src/http/call-errors.js";
import { BLOCK_BYTES, decryptBlock } from "../pki/rsa-block.js";

const KEY_BYTES = 32;
const IV_BYTES = 16;

const FIELDS = ["key", "iv", "payload"] as const;
/** Groups of four characters are not checked: such a pattern overflows the stack at some MiB. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Checks that the fields of a package are base64. @throws CallError 400 that names the wrong field */
export function readPackage(content: unknown): AuditPackage {
  const fields = (content ?? {}) as Record<string, unknown>;
  for (const name of FIELDS) {
    const value = fields[name];
    if (typeof value !== "string" || value.length % 4 !== 0 || !BASE64.test(value)) {
      throw new CallError(400, `${name} of the package is not base64`);
    }
  }
  const { key, iv, payload } = fields as unknown as AuditPackage;
  return { key, iv, payload };
}

/** Decrypts the text in a package. @throws CallError 400 that names the step that failed */
export function openPackage({ key, iv, payload }: AuditPackage, authorityPrivateKey: KeyObject): string {
  const aesKey = unsealed("key", key, KEY_BYTES, authorityPrivateKey);
  const aesIv = unsealed("iv", iv, IV_BYTES, authorityPrivateKey);
  try {
    const decipher = createDecipheriv("aes-256-cbc", aesKey, aesIv);
    const plain = Buffer.concat([decipher.update(payload, "base64"), decipher.final()]);
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch {
    throw new CallError(400, "payload is not UTF-8 in AES-256-CBC with PKCS#7 under that key and iv");
  }
}

function unsealed(name: string, base64: string, length: number, authorityPrivateKey: KeyObject): Uint8Array {
  const block = Buffer.from(base64, "base64");
  if (block.length !== BLOCK_BYTES) {
    throw new CallError(400, `${name} has ${block.length} bytes; an RSA block has ${BLOCK_BYTES}`);
  }
  const plain = decryptBlock(block, authorityPrivateKey);
  if (plain?.length !== length) {
    throw new CallError(400, `${name} is not ${length} bytes in PKCS#1 v1.5 under the authority's key (INS 07)`);
  }
  return plain;
}
