/** stunnel as the program beside the service that handles TLS with a card's key, through OpenSC (docs/tax-authority.md#the-key-in-the-card). */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.js";

export interface CardTlsOptions {
  readonly folder: string;
  readonly ca: string;
  readonly port: number;
  readonly pin: string;
}

/** The configuration of the page with a test's values. */
const cardTlsConfiguration = (listen: number, { ca, port, pin }: CardTlsOptions) => `foreground = yes
pid =
engine = pkcs11
engineCtrl = MODULE_PATH:opensc-pkcs11.so
engineCtrl = PIN:${pin}
engineCtrl = INIT

[authority]
client = yes
accept = 127.0.0.1:${listen}
connect = localhost:${port}
engineId = pkcs11
cert = pkcs11:id=%00;type=cert
key = pkcs11:id=%00;type=private
CAfile = ${ca}
verifyChain = yes
checkHost = localhost
sslVersionMax = TLSv1.2
config = SignatureAlgorithms:RSA+SHA256:ECDSA+SHA256
`;

export interface CardTls {
  readonly url: string;
  output(): string;
}

/** Resolves when it listens; rejects with its output. */
export async function cardTls(options: CardTlsOptions): Promise<CardTls> {
  const listen = await freePort();
  const file = join(options.folder, "stunnel.conf");
  writeFileSync(file, cardTlsConfiguration(listen, options), { mode: 0o600 });
  const child = spawn("stunnel4", [file], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  let output = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => {
        output += text.toString();
        if (/Configuration successful/.test(output)) resolve();
      });
    }
    child.once("exit", () => reject(new Error(output)));
  });
  return { url: `http://127.0.0.1:${listen}`, output: () => output };
}
