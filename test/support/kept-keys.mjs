/**
 * Loaded into the processes of tests: RSA keys of 2048 bits come from a few files once those are made. A new key takes up to a
 * second of processor time, and each emulator makes three at its start. Only the tests use this; the product always makes new ones.
 */
import crypto, { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Enough that a certificate authority, its server and its clients seldom share a key. */
const KEPT = 12;
const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/tillseal-test-keys", import.meta.url));
const generate = promisify(crypto.generateKeyPair);

let next = Math.floor(Math.random() * KEPT);

async function keptPair() {
  next = (next + 1) % KEPT;
  const file = join(FOLDER, `${next}.pem`);
  try {
    const privateKey = createPrivateKey(readFileSync(file));
    return { privateKey, publicKey: createPublicKey(privateKey) };
  } catch {
    const pair = await generate("rsa", { modulusLength: 2048 });
    mkdirSync(FOLDER, { recursive: true });
    // Another test process may make the same file.
    const partial = `${file}.${process.pid}`;
    writeFileSync(partial, pair.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    renameSync(partial, file);
    return pair;
  }
}

const original = crypto.generateKeyPair;
const isPlain = (type, options) =>
  type === "rsa" && options.modulusLength === 2048 && Object.keys(options).length === 1;

function generateKeyPair(type, options, callback) {
  if (!isPlain(type, options)) return original(type, options, callback);
  keptPair().then(
    ({ publicKey, privateKey }) => callback(null, publicKey, privateKey),
    (error) => callback(error),
  );
}
generateKeyPair[promisify.custom] = (type, options) =>
  isPlain(type, options) ? keptPair() : promisify(original)(type, options);

crypto.generateKeyPair = generateKeyPair;
syncBuiltinESMExports();
