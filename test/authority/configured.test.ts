/** Settings of the authority, and what the doctor reports about them. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { configuredAuthority, openAuthority } from "../../src/authority/configured.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";
import { loadConfig } from "../../src/config/load.js";
import { checkAuthority } from "../../src/doctor/authority.js";
import { type Check, warn } from "../../src/doctor/check.js";
import { CLOCK } from "../../src/doctor/machine.js";
import { checkRetention } from "../../src/doctor/retention.js";
import { DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient, testIdentities } from "../support/double-client.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { openssl, TestCa } from "../support/openssl.js";
import { testProxy } from "../support/proxy.js";

const TIMES = { clock: systemClock, timer: systemTimer };
const SECRET = "tajna 123";

const read = (flags: Record<string, unknown>) => configuredAuthority(loadConfig({ flags }));
/** Certificate, key and CA in separate files. */
function pemFlags() {
  const { ca, client } = testIdentities();
  return { authorityCertificate: client.certificate, authorityKey: client.key, authorityCa: ca.certificate };
}

it("the settings of the authority use the key in the card if they name no certificate, or name the card", () => {
  expect(read({})).toMatchObject({ cardKey: "default", certificate: undefined });
  expect(read({ authorityUrl: "https://authority.example" })).toMatchObject({ cardKey: "default" });
  expect(read({ authorityKey: "card" })).toMatchObject({ cardKey: "set", certificate: undefined });
  expect(read(pemFlags()).cardKey).toBeUndefined();
  expect(read({ authorityUrl: "http://127.0.0.1:9000" })).toMatchObject({ cardKey: undefined, certificate: undefined });
});

it("the settings of the authority are refused if they name the card and a certificate", () => {
  const { authorityCertificate } = pemFlags();
  expect(() => read({ authorityCertificate, authorityKey: "card" })).toThrow("remove authorityCertificate");
});

it("the settings of the authority use the address in the card's certificate unless they name another one", async () => {
  const { double } = await doubleAndClient();
  const open = async (flags: object, cardAddress: string) => {
    const configured = read({ ...pemFlags(), ...flags });
    const authority = openAuthority(configured, cardAddress, TIMES);
    onTestFinished(() => authority.close());
    return await authority.commands();
  };
  expect(await open({}, double.url)).toEqual([]);
  expect(await open({ authorityUrl: double.url }, "https://authority.invalid")).toEqual([]);
  await expect(open({}, "https://authority.invalid")).rejects.toThrow("authority.invalid");
  await expect(open({}, "")).rejects.toThrow("there is no address; set it with authorityUrl");
});

it("the settings of the authority can use a proxy", async () => {
  const { double } = await doubleAndClient();
  const proxy = await testProxy();
  const configured = read({ ...pemFlags(), authorityUrl: double.url, authorityProxy: proxy.url.origin });
  const authority = openAuthority(configured, "", TIMES);
  expect(await authority.commands()).toEqual([]);
  authority.close();
  expect(proxy.asked).toEqual([`localhost:${double.port}`]);
});

it.each([
  [{ authorityUrl: "http://authority.example" }, "--authority-url: http://authority.example is not safe"],
  [{ authorityUrl: "authority.example" }, "--authority-url: authorityUrl is"],
  [{ authorityUrl: "https://me:secret@authority.example" }, "--authority-url: authorityUrl is"],
  [{ authorityKey: "key.pem" }, "--authority-key: is set without authorityCertificate"],
  [{ authorityPassphraseFile: "passphrase" }, "--authority-passphrase-file: is set without authorityCertificate"],
  [
    { authorityCertificate: "/missing.pfx" },
    "--authority-certificate: /missing.pfx: cannot be read: the file does not exist",
  ],
  [{ authorityCa: "/missing.pem" }, "--authority-ca: /missing.pem: cannot be read: the file does not exist"],
  [{ authorityProxy: "http://me:secret@proxy:3128" }, "--authority-proxy: authorityProxy is"],
  [{ authorityProxy: "https://proxy:3128" }, "--authority-proxy: authorityProxy is"],
])("the settings of the authority are refused with the name of the setting: %j", (flags, message) => {
  expect(() => read(flags)).toThrow(message);
});

const lines = (checks: readonly Check[]) =>
  checks.map(({ subject, verdict, message }) => `${verdict} ${subject}: ${message}`);
const examine = async (flags: Record<string, unknown>, uid: string | undefined = DOUBLE_UID, taxAuthorityApi = "") =>
  lines((await checkAuthority(loadConfig({ flags }), uid === "" ? undefined : { uid, taxAuthorityApi }, TIMES)).checks);

it("the doctor says that the key in the card needs its PIN if no other key is configured", async () => {
  expect(await examine({})).toEqual([expect.stringMatching(/^ok authority: the key in the card, .*tillseal pki-pin/)]);
});

it("the doctor reports the authority and how long the certificate is valid", async () => {
  const { ca } = testIdentities();
  const long = ca.issue("long", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}`, days: 365 });
  const { double } = await doubleAndClient();
  const flags = { ...pemFlags(), authorityCertificate: long.certificate, authorityKey: long.key };
  expect(await examine(flags, DOUBLE_UID, double.url)).toEqual([
    expect.stringMatching(/^ok authority certificate: .*, valid 20\S+ to 20\S+, for the card DOUBLE01$/),
    `ok authority: ${double.url} answers and accepts our certificate`,
    expect.stringMatching(/^ok authority's time: the clock agrees with the tax authority's to [01] s$/),
  ]);
  // Only a token was requested.
  expect(double.seen.map(({ path }) => path)).toEqual(["/api/v3/sdc/token"]);
});

it("the doctor says whether receipts are erased by themselves: only if the clock agrees with another machine's", async () => {
  const { double } = await doubleAndClient();
  const config = loadConfig({ flags: { ...pemFlags(), retentionYears: 10, authorityUrl: double.url } });
  const examined = async (ahead: number) => {
    const clock = { now: () => systemClock.now() + ahead };
    const authority = await checkAuthority(config, undefined, { ...TIMES, clock });
    const noServer = warn(CLOCK, "no time server is configured");
    return lines(checkRetention(config.settings, [...authority.checks, noServer]));
  };
  expect(await examined(0)).toEqual([expect.stringMatching(/^ok retention: receipts are erased after 10 years/)]);
  expect(await examined(400_000)).toEqual([
    expect.stringMatching(
      /^warn retention: no receipt is erased by itself .*differs by 40\d s .*no time server is configured/,
    ),
  ]);
  expect(checkRetention(loadConfig({ flags: {} }).settings, [])).toEqual([]);
});

it("the doctor names the variable that would switch off the check of certificates", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  onTestFinished(() => void vi.unstubAllEnvs());
  const [first] = await examine(pemFlags());
  expect(first).toMatch(
    /^warn authority: NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment; .*: remove the variable/,
  );
});

it("the doctor warns about a certificate that expires soon, has expired, or belongs to another card", async () => {
  const [soon] = await examine(pemFlags());
  expect(soon).toMatch(/^warn authority certificate: .*, (29|30) days left: ask the authority for a new one$/);
  const { certificate, key } = testIdentities().ca.issue("over", { days: 0 });
  const later = { ...TIMES, clock: { now: () => systemClock.now() + 2_000 } };
  const config = loadConfig({ flags: { authorityCertificate: certificate, authorityKey: key } });
  const [over] = lines((await checkAuthority(config, undefined, later)).checks);
  expect(over).toMatch(/^warn authority certificate: .*: it has expired; ask the authority for a new one$/);
  const [other] = await examine(pemFlags(), "OTHER001");
  expect(other).toMatch(
    /: it is for the card DOUBLE01, but OTHER001 is in the reader; name the certificate for OTHER001$/,
  );
});

it("the doctor warns about a key and a passphrase that others may read", async () => {
  const folder = temporaryFolder();
  const passphrase = join(folder, "passphrase");
  writeFileSync(passphrase, SECRET);
  chmodSync(passphrase, 0o644);
  const pfx = join(folder, "shop.pfx");
  const { certificate, key } = testIdentities().client;
  openssl("pkcs12", "-export", "-in", certificate, "-inkey", key, "-passout", `pass:${SECRET}`, "-out", pfx);
  chmodSync(pfx, 0o640);
  const flags = { authorityCertificate: pfx, authorityPassphraseFile: passphrase };
  const findings = await examine(flags);
  expect(findings[1]).toBe(
    `warn authority files: ${pfx} and ${passphrase}: other users of this machine may read it; chmod 600 it`,
  );
  for (const file of [pfx, passphrase]) chmodSync(file, 0o600);
  expect((await examine(flags)).join()).not.toContain("authority files");
  expect(findings.join()).not.toContain(SECRET);
});

it("the doctor fails with settings that keep the service from starting", async () => {
  const { client } = testIdentities();
  const another = new TestCa(temporaryFolder());
  const flags = { authorityCertificate: client.certificate, authorityKey: another.key };
  expect(await examine(flags)).toEqual([
    expect.stringMatching(/^fail authority: --authority-certificate: .*the private key does not belong to/),
  ]);
});

it("the doctor warns about an authority that does not answer, and a card that names none", async () => {
  const address = `https://127.0.0.1:${await freePort()}`;
  expect((await examine({ ...pemFlags(), authorityUrl: address })).at(-1)).toMatch(
    /^warn authority: GET https:.*\/sdc\/token: no server is listening there; check/,
  );
  expect((await examine(pemFlags(), "")).at(-1)).toBe(
    "warn authority: its address is on the card, but no card can be read; insert the card",
  );
});
