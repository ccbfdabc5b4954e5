/**
 * Lets Node's own OpenSSL use a TLS key in a card: every RSA key in this process calls our function for its private
 * operation. This needs four functions of OpenSSL, which Node exports on every system, and no engine
 * (docs/decisions/0015-authority-client.md). A mistake with pointers can end a process, so only the child process of
 * token-process.ts loads this file.
 */
import { createPrivateKey, type KeyObject, type X509Certificate } from "node:crypto";
import koffi from "koffi";
import { tlvFields } from "../secure-element/tlv.js";

/** The value of RSA_PKCS1_PADDING, the only padding with which the card can sign. */
const PKCS1_PADDING = 1;
const FAILED = -1;

/**
 * Replaces the private operation of the RSA keys that are loaded from now on. This affects the whole process.
 * @param bytes length of a signature. OpenSSL has room for this length only, and a card may send any
 * @param sign returns the signature of a DigestInfo, PKCS #1 v1.5; called while OpenSSL waits. If it throws, TLS fails
 * @param failed called with the reason why there is no signature
 * @throws Error if this Node does not have the functions of OpenSSL
 */
export function signRsaWith(
  bytes: number,
  sign: (digestInfo: Uint8Array) => Uint8Array,
  failed: (error: unknown) => void,
): void {
  const node = koffi.load(null);
  const operation = koffi.proto("int tillseal_rsa_sign(int length, void *from, void *to, void *rsa, int padding)");
  const callback = (length: number, from: unknown, to: unknown, _rsa: unknown, padding: number): number => {
    if (padding !== PKCS1_PADDING) return FAILED;
    try {
      const digestInfo = koffi.decode(from, koffi.array("uint8_t", length, "Typed")) as Uint8Array;
      const signature = sign(digestInfo);
      if (signature.length !== bytes) {
        throw new Error(
          `the signature has ${signature.length} bytes; a key like that of the certificate makes ${bytes}`,
        );
      }
      koffi.encode(to, koffi.array("uint8_t", bytes, "Typed"), signature);
      return bytes;
    } catch (error) {
      failed(error);
      return FAILED;
    }
  };
  const current = node.func("void *RSA_get_default_method()") as () => unknown;
  const copy = node.func("void *RSA_meth_dup(void *method)") as (method: unknown) => unknown;
  const setSign = node.func("RSA_meth_set_priv_enc", "int", ["void *", koffi.pointer(operation)]) as (
    method: unknown,
    callback: unknown,
  ) => number;
  const setMethod = node.func("void RSA_set_default_method(void *method)") as (method: unknown) => void;
  const method = copy(current());
  // The callback stays registered as long as the process runs.
  setSign(method, koffi.register(callback, koffi.pointer(operation)));
  setMethod(method);
}

/**
 * Makes a key with the public numbers of a certificate, for `createSecureContext`, which compares only those numbers.
 * Its private numbers are all 1: a signature that is made with them is worthless. Node 26 refuses such a JWK.
 */
export function keyInCard({ publicKey }: X509Certificate): KeyObject {
  const numbers = [...tlvFields(publicKey.export({ type: "pkcs1", format: "der" }))].map(({ value }) => value);
  const content = Buffer.concat([Buffer.of(2, 1, 0), ...numbers, Buffer.from("020101".repeat(6), "hex")]);
  const sequence = Buffer.of(0x30, 0x82, content.length >> 8, content.length & 0xff);
  return createPrivateKey({ key: Buffer.concat([sequence, content]), format: "der", type: "pkcs1" });
}
