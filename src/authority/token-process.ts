/**
 * Asks the authority for a token with the key in the card. TLS runs in a child process of the same Node, because the
 * code that puts the card's key into OpenSSL works with pointers, which can end a process. The child does not use the
 * card: only the service does.
 */
import { spawn } from "node:child_process";
import type { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PACKAGE_ROOT } from "../base/package-root.js";
import { AuthorityError, type AuthorityFault } from "./tax-authority.js";
import type { Token } from "./token.js";

const CHILD = join(PACKAGE_ROOT, "dist", "src", "authority", "token-child.js");
/** ms after which the child is killed. The child ends its requests itself a little earlier. */
const LONGEST_MS = 15_000;
const MARGIN_MS = 2_000;
/** Maximum number of characters of the child's error output that a message repeats. */
const QUOTE_LENGTH = 200;

/** The task, which is the first line that the service sends to the child. */
export interface TokenTask {
  /** Address of the authority. Undefined for a trial without network, in which the child only signs a text. */
  readonly address: string | undefined;
  /** PEM. */
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
  /** Certificate of the key in the card: X.509 DER, base64. */
  readonly certificate: string;
  readonly timeLimitMs: number;
}

export type ChildMessage =
  | { readonly kind: "sign"; readonly digestInfo: string }
  | { readonly kind: "token"; readonly token: Token }
  /** The result of a trial. `verified`: whether the certificate verifies the signature. */
  | { readonly kind: "tried"; readonly verified: boolean }
  | {
      readonly kind: "failed";
      readonly fault: AuthorityFault;
      readonly message: string;
      readonly status: number | undefined;
    }
  /** The child failed before it could ask for a token. */
  | { readonly kind: "broken"; readonly message: string };

/** The service's answer to `sign`: the signature in base64, or none if the card has not signed. */
export interface Reply {
  readonly signature?: string;
}

type Sign = (digestInfo: Uint8Array) => Promise<Uint8Array>;
type TokenResult = Exclude<ChildMessage, { kind: "sign" | "failed" | "broken" }>;

export interface TokenRequest extends Omit<TokenTask, "timeLimitMs" | "certificate" | "address"> {
  readonly address: string;
  /** X.509 DER */
  readonly certificate: Uint8Array;
  /** Signs a DigestInfo with the card's key. @throws Error, which becomes the error of the request */
  readonly sign: Sign;
  /** ms after which the child is killed; default 15,000. */
  readonly longest?: number;
}

/** Gets a token with the card's key. @throws AuthorityError, or the error of `sign` */
export async function tokenWithCard({
  sign,
  certificate,
  longest = LONGEST_MS,
  ...request
}: TokenRequest): Promise<Token> {
  const task: TokenTask = {
    ...request,
    certificate: Buffer.from(certificate).toString("base64"),
    timeLimitMs: Math.max(longest - MARGIN_MS, longest / 2),
  };
  const result = await runChild(task, sign, longest);
  if (result.kind !== "token") throw broken(`it answered ${result.kind}`);
  return result.token;
}

/**
 * Signs a text in the child process, as TLS does.
 * @param certificate X.509 DER
 * @returns whether the certificate verifies the signature
 * @throws AuthorityError if this Node cannot sign in this way; the error of `sign`
 */
export async function tryKey(certificate: Uint8Array, sign: Sign): Promise<boolean> {
  const encoded = Buffer.from(certificate).toString("base64");
  const task = { address: undefined, ca: undefined, proxy: undefined, certificate: encoded, timeLimitMs: LONGEST_MS };
  const result = await runChild(task, sign, LONGEST_MS);
  return result.kind === "tried" && result.verified;
}

/** Length of a signature in bytes. @throws Error if the certificate's key is not RSA */
export function signatureBytes({ publicKey }: X509Certificate): number {
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {};
  if (publicKey.asymmetricKeyType !== "rsa" || modulusLength === undefined) {
    throw new Error(`the certificate's key is ${publicKey.asymmetricKeyType}, not RSA`);
  }
  return Math.ceil(modulusLength / 8);
}

/** Runs the child process for one task. @param longest ms after which the child is killed */
async function runChild(task: TokenTask, sign: Sign, longest: number): Promise<TokenResult> {
  // The child's environment has no options for Node, such as a debugger's port, and no settings of this service.
  const variables = Object.entries(process.env).filter(
    ([name]) => name !== "NODE_OPTIONS" && !name.startsWith("TILLSEAL_"),
  );
  const env = Object.fromEntries(variables);
  const child = spawn(process.execPath, [CHILD], { stdio: "pipe", env, windowsHide: true });
  const timer = setTimeout(() => child.kill("SIGKILL"), longest);
  let problem = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    problem = `${problem}${text}`.slice(0, QUOTE_LENGTH);
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) => resolve(`it ended with ${signal ?? code}. ${problem}`.trim()));
  });
  const lost = ended.then((reason): never => {
    throw broken(reason);
  });
  lost.catch(() => undefined);
  // Ignore errors of writing: a child that was killed does not read any more.
  child.stdin.on("error", () => undefined);
  const send = (message: TokenTask | Reply) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(task);
  let refused: unknown;
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as ChildMessage;
      // If the card did not sign, its error is the reason why TLS failed.
      if (message.kind === "broken") throw refused ?? broken(message.message);
      if (message.kind === "failed") throw new AuthorityError(message.fault, message.message, message.status);
      if (message.kind !== "sign") return message;
      try {
        const signature = await Promise.race([sign(Buffer.from(message.digestInfo, "base64")), lost]);
        send({ signature: Buffer.from(signature).toString("base64") });
      } catch (error) {
        refused = error;
        send({});
      }
    }
    throw refused ?? (await lost);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function broken(reason: string): AuthorityError {
  return new AuthorityError("unreachable", `the process that uses the card's key failed: ${reason}`);
}
