/** A key that never leaves its card: OpenSC and stunnel use the PKI applet's key through pcscd for the TLS handshake. */
import { execFile } from "node:child_process";
import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";
import { openAuthority } from "../support/audited-till.js";
import { cardTls } from "../support/card-tls.js";
import { makeCard } from "../support/emulated-card.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually } from "../support/pcsc.js";

pcscdForFile();

const PKI_PIN = "9876";
const execute = promisify(execFile);
/** The card runs in this process, so nothing may block it. */
const run = async (command: string, ...args: string[]) => (await execute(command, args, { timeout: 30_000 })).stdout;

async function insert() {
  const card = makeCard({ pin: "1234", pkiPin: PKI_PIN });
  const link = new VpcdLink(card);
  await link.insert();
  onTestFinished(() => link.remove());
  await eventually(async () => (await run("opensc-tool", "--list-readers")).includes("Yes"), "the card is in");
  return card;
}

it("the PKI applet is a GIDS card for OpenSC, with certificate and key", async () => {
  const card = await insert();
  expect(await run("opensc-tool", "--name")).toContain("GIDS Smart Card");
  const certificate = await run("pkcs15-tool", "--read-certificate", "00");
  expect(new X509Certificate(certificate).raw.equals(card.certificate)).toBe(true);
  const publicKey = createPublicKey(await run("pkcs15-tool", "--read-public-key", "00"));
  expect(publicKey.equals(new X509Certificate(card.certificate).publicKey)).toBe(true);
});

it("the PKI applet signs after its own PIN, and the certificate verifies the signature", async () => {
  const card = await insert();
  const folder = temporaryFolder();
  const [text, signature] = [join(folder, "text"), join(folder, "signature")];
  writeFileSync(text, "to be signed");
  const sign = async (pin: string) => {
    const files = ["--input-file", text, "--output-file", signature];
    await run(
      "pkcs11-tool",
      "--login",
      "--pin",
      pin,
      "--sign",
      "--mechanism",
      "SHA256-RSA-PKCS",
      "--id",
      "00",
      ...files,
    );
  };
  await sign(PKI_PIN);
  const { publicKey } = new X509Certificate(card.certificate);
  expect(verify("sha256", readFileSync(text), publicKey, readFileSync(signature))).toBe(true);
  await expect(sign("1234")).rejects.toThrow("CKR_PIN_INCORRECT");
});

it("a TLS helper with the card's key gets a token from the emulated authority for a service that has no key", async () => {
  const card = await insert();
  const server = await openAuthority({ environment: null });
  server.office.register({ certificate: card.certificate });
  const folder = temporaryFolder();
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, server.caCertificate);
  const helper = await cardTls({ folder, ca, port: server.port, pin: PKI_PIN });
  const authority = new HttpsAuthority({ address: helper.url, clock: systemClock, timer: systemTimer });
  onTestFinished(() => authority.close());
  const commandId = server.office.command(card.profile.uid, 1, "ntp://time.example");
  const commands = await authority.commands().catch((error: unknown) => {
    throw new Error(helper.output(), { cause: error });
  });
  expect(commands).toEqual([{ commandId, type: 1, payload: "ntp://time.example", uid: card.profile.uid }]);
  await authority.report(commandId, true);
  expect(await authority.announce(true)).toEqual([]);
});
