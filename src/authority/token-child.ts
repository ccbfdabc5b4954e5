/**
 * The child process that asks the authority for a token with the card's key (token-process.ts). It reads its task from
 * standard input, writes each DigestInfo to standard output and waits for the signature, because TLS cannot go on
 * without it. Nothing else may use standard input and output.
 */
import { sign as signText, verify, X509Certificate } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { systemClock, systemTimer } from "../base/clock.js";
import { messageOf } from "../base/thrown.js";
import { keyInCard, signRsaWith } from "./card-rsa.js";
import { HttpsAuthority } from "./https-authority.js";
import { AuthorityError } from "./tax-authority.js";
import { type ChildMessage, type Reply, signatureBytes, type TokenTask } from "./token-process.js";

const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 4096;
const LINE_END = 0x0a;
const TRIAL = Buffer.from("tillseal doctor");

let rest: Buffer = Buffer.alloc(0);

/** Reads one line of JSON from standard input. @throws Error if the service is gone */
function read<T>(): T {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const end = rest.indexOf(LINE_END);
    if (end >= 0) {
      const line = rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
      return JSON.parse(line) as T;
    }
    const length = readSync(STDIN, chunk);
    if (length === 0) throw new Error("the service is gone");
    rest = Buffer.concat([rest, chunk.subarray(0, length)]);
  }
}

function write(message: ChildMessage): void {
  writeSync(STDOUT, `${JSON.stringify(message)}\n`);
}

function sign(digestInfo: Uint8Array): Uint8Array {
  write({ kind: "sign", digestInfo: Buffer.from(digestInfo).toString("base64") });
  const { signature } = read<Reply>();
  if (signature === undefined) throw new Error("the card has not signed");
  return Buffer.from(signature, "base64");
}

async function run({ address, ca, proxy, certificate, timeLimitMs }: TokenTask): Promise<ChildMessage> {
  const x509 = new X509Certificate(Buffer.from(certificate, "base64"));
  signRsaWith(signatureBytes(x509), sign, (error) => write({ kind: "broken", message: messageOf(error) }));
  if (address === undefined) {
    const signature = signText("sha256", TRIAL, keyInCard(x509));
    return { kind: "tried", verified: verify("sha256", TRIAL, x509.publicKey, signature) };
  }
  const authority = new HttpsAuthority({
    address,
    ca,
    proxy: proxy === undefined ? undefined : new URL(proxy),
    timeLimitMs,
    certificate: {
      file: "the card",
      chain: x509.toString(),
      privateKey: keyInCard(x509),
      uid: undefined,
      validFrom: Date.parse(x509.validFrom),
      validTo: Date.parse(x509.validTo),
    },
    pkcs1Only: true,
    clock: systemClock,
    timer: systemTimer,
  });
  try {
    return { kind: "token", token: await authority.askForToken() };
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    const { fault, message, status } = error;
    return { kind: "failed", fault, message, status };
  } finally {
    authority.close();
  }
}

try {
  write(await run(read<TokenTask>()));
} catch (error) {
  write({ kind: "broken", message: messageOf(error) });
}
