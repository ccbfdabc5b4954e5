/** Certificates and PFX files of the emulator, judged by openssl, which shares no code with it. */
import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cardCertificate } from "../../emulator/card/card-certificate.js";
import { parseProfile } from "../../emulator/card/profile.js";
import { PFX_PASSPHRASE, pfxFile } from "../../emulator/pki/pfx-file.js";
import { type PemIdentity, sharedTlsMaker } from "../../emulator/tax-authority/tls-identity.js";
import { readPfx } from "../../src/authority/pfx.js";
import { systemRandom } from "../../src/base/random.js";
import { KEYS } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { openssl } from "../support/openssl.js";

/** Writes files into a new folder. @returns a function that returns the path of a file */
function folderWith(contents: Readonly<Record<string, string | Uint8Array>>) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  return (name: string) => join(folder, name);
}

const maker = sharedTlsMaker();

function verdictOn({ certificate }: PemIdentity, purpose: string, ...options: string[]): string {
  const file = folderWith({ "ca.pem": maker.authority.certificate, "own.pem": certificate });
  const trusted = ["-x509_strict", "-CAfile", file("ca.pem")];
  return openssl("verify", ...trusted, "-purpose", purpose, ...options, file("own.pem"));
}

it("the certificates of the emulated authority's TLS prove the server under each of its names and addresses", () => {
  const server = maker.server(["localhost", "127.0.0.1", "::1", "2001:db8::a:1"]);
  expect(verdictOn(server, "sslserver", "-verify_hostname", "localhost")).toContain("OK");
  for (const address of ["127.0.0.1", "::1", "2001:db8::a:1"]) {
    expect(verdictOn(server, "sslserver", "-verify_ip", address)).toContain("OK");
  }
});

it("the certificates of the emulated authority's TLS prove clients with either key", async () => {
  for (const client of [maker.client({ uid: "TESTCARD" }), await maker.rsaClient({ uid: "TESTCARD" })]) {
    expect(verdictOn(client, "sslclient")).toContain("OK");
  }
});

it("makes a card's certificate that the issuing and the root authority prove", () => {
  const profile = parseProfile({ validTo: "2060-01-01T00:00:00Z", taxpayer: { businessName: "Žika & šin" } });
  const made = new X509Certificate(cardCertificate(profile, KEYS.cardKey, KEYS.issuing));
  expect([made.subject, made.validTo]).toEqual([expect.stringContaining("O=Žika & šin"), "Jan  1 00:00:00 2060 GMT"]);
  const [issuing = "", root = ""] = KEYS.cardIssuers;
  const file = folderWith({ "root.pem": root, "issuing.pem": issuing, "card.pem": made.toString() });
  const chain = ["-CAfile", file("root.pem"), "-untrusted", file("issuing.pem")];
  expect(openssl("verify", "-x509_strict", "-purpose", "sslclient", ...chain, file("card.pem"))).toContain("OK");
});

it("makes a PFX file that openssl and the service read", async () => {
  const identity = await sharedTlsMaker().rsaClient({ uid: "TESTCARD" });
  const content = pfxFile(identity, "TESTCARD", systemRandom);
  const file = folderWith({ "own.pfx": content });
  const shown = openssl("pkcs12", "-in", file("own.pfx"), "-passin", `pass:${PFX_PASSPHRASE}`, "-nodes");
  expect(shown).toContain(identity.certificate.trim());
  expect(shown).toContain(identity.key.trim());
  const { certificates, privateKeys } = readPfx(content, PFX_PASSPHRASE);
  expect(certificates.map(String)).toEqual([identity.certificate]);
  expect(privateKeys.map((key) => certificates[0]?.checkPrivateKey(key))).toEqual([true]);
});
