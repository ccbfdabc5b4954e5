/** Programs that know the protocol alone use the emulated authority: curl, openssl, and a client that shares no code with the service. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { FIXTURE_KEYS } from "../../emulator/pki/keys.js";
import { carryStick, writeClientCertificate } from "../../emulator/tax-authority/run-authority.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { openAuditedTill, openAuthority, packaged } from "../support/audited-till.js";
import { makeCard } from "../support/emulated-card.js";
import { HAS_CURL } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { openssl } from "../support/openssl.js";
import { sale } from "../support/sale.js";
import { SecondClient } from "../support/second-client.js";

const run = promisify(execFile);
const UID = "TESTCARD";

async function openWithFiles() {
  const folder = temporaryFolder();
  const server = await openAuthority({ environment: null });
  const authority = { url: server.url, ca: server.caCertificate };
  const card = join(folder, "card.der");
  writeFileSync(card, makeCard().certificate);
  const { passphrase } = await writeClientCertificate(authority, { file: card }, folder);
  return { folder, server, passphrase, file: (name: string) => join(folder, name) };
}

it("a foreign client of the emulated authority can be openssl s_client, which verifies the chain and presents the client certificate", async () => {
  const { server, file } = await openWithFiles();
  for (const host of ["localhost", "127.0.0.1"]) {
    const name = host === "localhost" ? ["-verify_hostname", host] : ["-verify_ip", host];
    const request = "GET /api/v3/sdc/token HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n";
    const trusted = ["-CAfile", file("ca.crt.pem"), "-verify_return_error", "-ign_eof", ...name];
    const own = ["-cert", file(`${UID}.crt.pem`), "-key", file(`${UID}.key.pem`)];
    const command = ["-c", `printf "${request}" | openssl s_client "$@" 2>&1`, "sh"];
    const { stdout } = await run("sh", [...command, "-connect", `${host}:${server.port}`, ...trusted, ...own]);
    expect(stdout).toContain("Verify return code: 0 (ok)");
    expect(stdout).toMatch(/HTTP\/1\.1 200 OK[\s\S]*\{"token":"/);
  }
});

it.runIf(HAS_CURL)(
  "a foreign client of the emulated authority can be curl, with PEM and with PKCS#12, from the token to the report of a command",
  async () => {
    const { server, file, passphrase } = await openWithFiles();
    const api = `${server.url}/api/v3/sdc`;
    const curl = async (...args: string[]) => {
      const { stdout } = await run("curl", ["-sS", "--fail-with-body", "--cacert", file("ca.crt.pem"), ...args]);
      return JSON.parse(stdout) as unknown;
    };
    const pem = ["--cert", file(`${UID}.crt.pem`), "--key", file(`${UID}.key.pem`)];
    const pfx = ["--cert-type", "P12", "--cert", `${file(`${UID}.pfx`)}:${passphrase}`];
    expect(await curl(...pfx, `${api}/token`)).toMatchObject({ expiresAt: expect.stringMatching(/Z$/) });
    const { token } = (await curl(...pem, `${api}/token`)) as { token: string };
    const header = ["-H", `TaxCoreAuthenticationToken: ${token}`, "-H", "Content-Type: application/json"];
    const commandId = server.office.command(UID, 1, "ntp://time.tax-authority.test/");
    const commands = [{ commandId, type: 1, payload: "ntp://time.tax-authority.test/", uid: UID }];
    expect(await curl(...header, "-X", "PUT", "-d", "true", `${api}/status`)).toEqual(commands);
    await curl(...header, "-X", "PUT", "-d", "true", `${api}/commands/${commandId}`);
    expect(await curl(...header, `${api}/commands`)).toEqual([]);
    await expect(curl(`${api}/token`)).rejects.toThrow();
  },
);

it.runIf(HAS_CURL)(
  "a foreign client of the emulated authority can authenticate with the card's own certificate, which registers the card",
  async () => {
    const server = await openAuthority({ environment: null });
    const folder = temporaryFolder();
    const card = join(folder, "card.der");
    writeFileSync(card, makeCard().certificate);
    const pem = join(folder, "card.pem");
    openssl("x509", "-inform", "DER", "-in", card, "-out", pem);
    const ca = join(folder, "ca.pem");
    writeFileSync(ca, server.caCertificate);
    const key = join(FIXTURE_KEYS, "test-card.key.pem");
    const tls = ["--cacert", ca, "--cert", pem, "--key", key];
    const { stdout } = await run("curl", ["-sS", ...tls, `${server.url}/api/v3/sdc/token`]);
    expect(JSON.parse(stdout)).toMatchObject({ token: expect.any(String) });
    expect(server.office.holder(UID)).toMatchObject({ tin: "100000001" });
  },
);

it("openssl as an independent check opens 20 packages and finds the same sales in them as the authority", async () => {
  const { sell, submit } = await openAuditedTill();
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const authorityKey = join(FIXTURE_KEYS, "test-tax-authority.key.pem");
  for (let i = 1; i <= 20; i++) {
    const sold = await sell(sale({ cashier: `Касир ${i}` }));
    const { key, iv, payload } = packaged(sold);
    expect(await submit(sold)).toBe(4);
    const unsealed = (name: string, base64: string) => {
      writeFileSync(file(name), Buffer.from(base64, "base64"));
      const padding = ["-pkeyopt", "rsa_padding_mode:pkcs1"];
      const files = ["-inkey", authorityKey, "-in", file(name), "-out", file(`${name}.open`)];
      openssl("pkeyutl", "-decrypt", ...padding, ...files);
      return readFileSync(file(`${name}.open`)).toString("hex");
    };
    const [k, v] = [unsealed("key", key), unsealed("iv", iv)];
    writeFileSync(file("payload"), Buffer.from(payload, "base64"));
    openssl("enc", "-d", "-aes-256-cbc", "-K", k, "-iv", v, "-in", file("payload"), "-out", file("sale.json"));
    expect(JSON.parse(readFileSync(file("sale.json"), "utf8"))).toEqual(sold);
  }
});
const SALES = 40;

async function openSecondClient(environment?: FiscalEnvironment) {
  const audited = await openAuditedTill({}, environment && { environment });
  const { authority, till } = audited;
  const client = new SecondClient({
    uid: UID,
    card: (command) => till.card.transmit(command),
    url: authority.url,
    ca: authority.caCertificate,
    identity: authority.tls.client({ uid: UID }),
  });
  return { ...audited, client };
}

it("the second client is configured, sends 40 packages, and is audited online", async () => {
  const { authority, till, sell, client } = await openSecondClient();
  const { office } = authority;
  await client.connect();
  expect(client.configuration).toMatchObject({
    parameters: { serverTimeZone: "Central Europe Standard Time", country: "RS" },
    timeServer: "ntp://time.tax-authority.test/",
    verificationUrl: `${authority.url}/v/?vl=`,
  });
  expect(client.configuration.groups.map(({ groupId }) => groupId)).toEqual([1]);
  expect(office.commands(UID)).toEqual([]);
  for (let i = 0; i < SALES; i++) expect(await client.send(await sell())).toBe(4);
  expect(await client.amounts()).toMatchObject({ sum: SALES * 1_000_000 });
  await client.audit();
  expect(await client.amounts()).toMatchObject({ sum: 0 });
  expect(client.results.map(({ Success }) => Success)).not.toContain(false);
  expect(office.card(UID).proofs).toMatchObject([{ upTo: SALES, accepted: true }]);
  expect((await till.sell()).status).toBe(200);
});

it("the second client gets all groups again when the rates change, and cannot sell if they come as one object", async () => {
  const { authority, client } = await openSecondClient(loadNamedEnvironment("cyrillic"));
  const { office } = authority;
  await client.connect();
  expect(client.configuration.groups.map(({ groupId }) => groupId)).toEqual([5, 1]);
  const groupsAfter = async () => {
    const { environment } = office;
    const [first, ...others] = environment?.taxRates ?? [];
    if (!environment || !first) throw new Error("there is no environment");
    const changed = { ...first, validFrom: first.validFrom + 1000 };
    office.setEnvironment({ ...environment, taxRates: [changed, ...others] });
    await client.connect();
    return client.configuration.groups.length;
  };
  expect(await groupsAfter()).toBe(2);
  office.setFaults({ oddConfiguration: "oneGroup" });
  expect(await groupsAfter()).toBe(0);
});

it("the second client is audited by stick", async () => {
  const { authority, sell, client } = await openSecondClient();
  const stick = temporaryFolder();
  const sales: { counter: number; sale: object }[] = [];
  for (let counter = 1; counter <= SALES; counter++) sales.push({ counter, sale: await sell() });
  await client.writeStick(stick, sales);
  const place = { url: authority.url, ca: authority.caCertificate };
  await carryStick(place, stick);
  await client.readStick(stick);
  expect(await client.amounts()).toMatchObject({ sum: 0 });
  // The authority takes the results, whose ids are in upper case, and has nothing left for this card.
  await carryStick(place, stick);
  expect(JSON.parse(readFileSync(join(stick, UID, `${UID}.commands`), "utf8"))).toEqual([]);
  expect(authority.office.packages(UID).map(({ status }) => status)).toEqual(sales.map(() => 4));
  expect(authority.office.card(UID).proofs).toMatchObject([{ upTo: SALES, accepted: true }]);
});

it("the second client begins with an empty stick: the authority writes a folder for each card that it knows", async () => {
  const { authority, client } = await openSecondClient();
  const stick = temporaryFolder();
  const place = { url: authority.url, ca: authority.caCertificate };
  await carryStick(place, stick);
  await client.readStick(stick);
  expect(client.configuration.parameters).toMatchObject({ environmentName: "TEST" });
});
