/** Keys and certificates made by the openssl command, which shares no code with the service. */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** @returns standard output */
export function openssl(...args: readonly string[]): string {
  return execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** PEM files. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Issued {
  readonly subject?: string;
  /** In openssl's syntax, such as `DNS:localhost`. */
  readonly names?: string;
  /** RSA keys take time to make, and most tests do not need them. */
  readonly rsa?: boolean | 1024;
  /** 0: expires at once. */
  readonly days?: number;
}

const newKey = (rsa: Issued["rsa"] = false) =>
  rsa ? [`rsa:${rsa === true ? 2048 : rsa}`] : ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

export class TestCa implements KeyPair {
  readonly certificate: string;
  readonly key: string;

  constructor(
    private readonly folder: string,
    private readonly name = "ca",
  ) {
    this.certificate = join(folder, `${name}.crt`);
    this.key = join(folder, `${name}.key`);
    const files = ["-keyout", this.key, "-out", this.certificate];
    openssl("req", "-x509", "-newkey", ...newKey(), "-nodes", "-days", "30", "-subj", `/CN=${name}`, ...files);
  }

  get pem(): string {
    return readFileSync(this.certificate, "utf8");
  }

  issue(name: string, { subject = `/CN=${name}`, names, rsa, days = 30 }: Issued = {}): KeyPair {
    const [key, request, certificate, extensions] = ["key", "csr", "crt", "ext"].map((ending) =>
      join(this.folder, `${this.name}-${name}.${ending}`),
    ) as [string, string, string, string];
    openssl("req", "-new", "-newkey", ...newKey(rsa), "-nodes", "-subj", subject, "-keyout", key, "-out", request);
    writeFileSync(extensions, names === undefined ? "" : `subjectAltName=${names}\n`);
    const by = ["-CA", this.certificate, "-CAkey", this.key, "-CAcreateserial", "-extfile", extensions];
    openssl("x509", "-req", "-in", request, ...by, "-days", String(days), "-out", certificate);
    return { certificate, key };
  }
}

/**
 * Starts `openssl s_server`, which ends the handshake with a client whose certificate it cannot verify.
 * @returns https://localhost:port
 */
export async function opensslServer(identity: KeyPair, clientCa: KeyPair, ...args: readonly string[]): Promise<string> {
  const files = ["-cert", identity.certificate, "-key", identity.key, "-CAfile", clientCa.certificate];
  const child = spawn(
    "openssl",
    ["s_server", "-accept", "127.0.0.1:0", "-Verify", "1", "-verify_return_error", ...files, ...args],
    {
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  onTestFinished(() => void child.kill());
  // It prints the port that it was given.
  for await (const text of child.stdout) {
    const port = /ACCEPT \S*:(\d+)/.exec(String(text))?.[1];
    if (port !== undefined) return `https://localhost:${port}`;
  }
  throw new Error("openssl s_server did not start");
}
