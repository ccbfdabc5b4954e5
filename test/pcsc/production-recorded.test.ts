/**
 * What is recorded of a real authority configures the package that a shop installs: the configuration and the rates of
 * Serbia's sandbox, byte for byte, over HTTPS. The authority here shares no code with the service or the emulator.
 */
import { constants, createDecipheriv, createHash, createPrivateKey, privateDecrypt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AuthorityCommand } from "../../src/authority/tax-authority.js";
import { AuthorityDouble } from "../support/authority-double.js";
import { serveProcess, tillsealProcess } from "../support/command.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { installedCommand } from "../support/installed.js";
import { TestCa } from "../support/openssl.js";
import { eventually } from "../support/pcsc.js";
import { cardInReader } from "../support/pcsc-card.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

pcscdForFile();

const UID = "TESTCARD";
const KEY_FILE = "fixtures/keys/test-tax-authority.key.pem";
/** Cyrillic; 19 % in group 5, and in no older one. */
const LABEL = "Ж";

const recorded = (name: string) => readFileSync(join("fixtures", "environments", "sandbox", name), "utf8");
const CONFIGURATION = recorded("configuration.json");
const RATES = recorded("tax-rates.json");
const GROUPS = (JSON.parse(RATES) as { allTaxRates: object[] }).allTaxRates.map((group) => JSON.stringify(group));

const command = (type: number, payload: string | null, uid: string | null = UID) =>
  ({ commandId: randomUUID(), type, payload, uid }) as AuthorityCommand;
const configuration = () => command(7, CONFIGURATION);
const groups = () => GROUPS.map((group) => command(0, group));

interface Feed extends Partial<Pick<AuthorityDouble, "spell" | "tokenEnd">> {
  readonly waiting: AuthorityCommand[];
  readonly failing?: readonly AuthorityCommand[];
}

/** Not a valid configuration: each is reported as failed, and the others still count. */
const failing = [command(7, null), command(4, "key"), command(0, "{}", null)];

const FEEDS: Readonly<Record<string, () => Feed>> = {
  "the whole answer about rates": () => ({ waiting: [configuration(), command(0, RATES)] }),
  "a command for each group, whose numbers have gaps": () => ({ waiting: [configuration(), ...groups()] }),
  "unreadable commands before them, names in upper case, and expireAt": () => ({
    waiting: [...failing, configuration(), ...groups()],
    failing,
    spell: (name) => name.toUpperCase(),
    tokenEnd: "expireAt",
  }),
  "names in Pascal case, payloads too, and a token without an end": () => ({
    waiting: [configuration(), ...groups()].map((one) => ({ ...one, payload: inPascalCase(one.payload) })),
    spell: pascal,
    tokenEnd: undefined,
  }),
};

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const inPascalCase = (payload: string) => payload.replace(/"(\w+)"(?=\s*:)/g, (_, name: string) => `"${pascal(name)}"`);

/** The content of a package: the posted invoice and the answer of the service. Shares no code with either. */
function openPackage({ key, iv, payload }: { key: string; iv: string; payload: string }): unknown {
  const secret = createPrivateKey(readFileSync(KEY_FILE));
  const unsealed = (base64: string) => {
    const block = privateDecrypt({ key: secret, padding: constants.RSA_NO_PADDING }, Buffer.from(base64, "base64"));
    if (block[0] !== 0 || block[1] !== 2) throw new Error("the RSA block has no padding of PKCS#1 v1.5");
    return block.subarray(block.indexOf(0, 2) + 1);
  };
  const decipher = createDecipheriv("aes-256-cbc", unsealed(key), unsealed(iv));
  return JSON.parse(Buffer.concat([decipher.update(payload, "base64"), decipher.final()]).toString("utf8"));
}

it("the recording is the recording as it was made", () => {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  expect([hash(CONFIGURATION), hash(RATES)]).toEqual(["9eb92bbf12cf0c87", "0fffa6d4e23f426a"]);
});

it.each(Object.entries(FEEDS))("the recording sells with the recorded configuration and %s", async (_name, feed) => {
  const { failing: bad = [], ...rest } = feed();
  const { card, reader } = await cardInReader({ uid: UID, pin: "1234" });
  await reader.close();
  expect(card.profile.uid).toBe(UID);
  const folder = temporaryFolder();
  const ca = new TestCa(folder);
  const authority = await AuthorityDouble.open(ca, ca.issue("server", { names: "DNS:localhost", rsa: true }));
  Object.assign(authority, rest);
  const { certificate, key } = ca.issue("shop", { subject: `/CN=shop/serialNumber=${UID}`, rsa: true });
  const { url } = await serveProcess(
    [
      ...["--card", "pcsc", "--data-dir", join(folder, "data"), "--authority-url", authority.url],
      ...["--authority-ca", ca.certificate, "--authority-certificate", certificate, "--authority-key", key],
    ],
    {},
    installedCommand(),
  );
  const get = async (path: string) => (await callService(url, "GET", path)).json();
  await eventually(() => authority.reports.length === rest.waiting.length, "each command is reported");
  expect(authority.reports).toEqual(
    expect.arrayContaining(rest.waiting.map((one) => ({ commandId: one.commandId, success: !bad.includes(one) }))),
  );
  expect(await get("/api/v3/environment-parameters")).toMatchObject({
    serverTimeZone: "Central Europe Standard Time",
    supportedLanguages: ["sr-Cyrl-RS", "en-US"],
    ntpServer: "http://0.pool.ntp.org:80/",
    environmentName: "СУФ Развој",
  });
  const headers = { "Content-Type": "text/plain" };
  expect((await callService(url, "POST", "/api/v3/pin", { headers, body: "1234" })).text).toBe("0100");
  const item = { name: "Hleb", quantity: 1, unitPrice: 119, totalAmount: 119, labels: [LABEL] };
  const body = sale({ items: [item], payment: [{ amount: 119, paymentType: "Cash" }] });
  const sold = (await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body })).json();
  expect(sold).toMatchObject({
    invoiceNumber: `${UID}-${UID}-1`,
    taxGroupRevision: 5,
    taxItems: [{ label: LABEL, rate: 19, amount: 19 }],
    verificationUrl: expect.stringMatching(/^https:\/\/sandbox\.suf\.purs\.gov\.rs:443\/v\/\?vl=/),
    journal: expect.stringContaining("ФИСКАЛНИ РАЧУН"),
  });
  const inBelgrade = new Date(String(sold.sdcDateTime)).toLocaleTimeString("de-DE", { timeZone: "Europe/Belgrade" });
  expect(sold.journal).toMatch(new RegExp(`ПФР време: .* ${inBelgrade.replace(/^0/, "")}\r\n`));
  // The authority can open the package, and finds the receipt in it.
  await tillsealProcess(["audit", "now", "--data-dir", join(folder, "data")], {}, installedCommand());
  const { invoiceNumber, verificationUrl, signature, totalAmount } = sold;
  const [sent] = authority.asked("/api/v3/sdc/audit");
  expect(openPackage(JSON.parse(sent?.body ?? ""))).toMatchObject({
    request: { items: [{ labels: [LABEL] }] },
    result: { invoiceNumber, verificationUrl, signature, totalAmount },
  });
  expect(authority.refused).toEqual([]);
});
