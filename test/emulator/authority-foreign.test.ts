/** Foreign programs at the emulated authority: openssl and curl as clients, and openssl as a check of packages. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { FIXTURE_KEYS } from "../../emulator/pki/keys.js";
import { writeClientCertificate } from "../../emulator/tax-authority/run-authority.js";
import { openAuditedTill, openAuthority, packaged } from "../support/audited-till.js";
import { makeCard } from "../support/emulated-card.js";
import { HAS_CURL } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { openssl } from "../support/openssl.js";
import { sale } from "../support/sale.js";

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
