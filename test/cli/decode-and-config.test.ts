import { X509Certificate } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import forge from "node-forge";
import { expect, it } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { tillseal } from "../support/command.js";
import { KEYS, makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { environmentFile } from "../support/invoices.js";
import { RECORDED_URLS, recordedKey } from "../support/recorded.js";
import { openTill } from "../support/till.js";

const [REAL, PROFORMA, OLD, CORRUPT] = RECORDED_URLS;

function keyFile(): string {
  const file = join(temporaryFolder(), "key.pem");
  writeFileSync(file, recordedKey(REAL));
  return file;
}

it("tillseal decode prints every field as JSON", async () => {
  const { status, stdout } = await tillseal(["decode", REAL.url, "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    version: 3,
    requestedBy: "YJLQTEQR",
    signedBy: "YJLQTEQR",
    signer: "card",
    totalCounter: 11389,
    transactionTypeCounter: 8652,
    totalAmount: "68.4600",
    dateTime: "2023-06-06T11:21:15.504Z",
    invoiceType: "Normal",
    transactionType: "Sale",
    buyerId: "RS34564565",
    hashValid: true,
    signatureValid: null,
  });
});

it.each([REAL, PROFORMA])("tillseal decode verifies a real signature: $about", async ({ url, tin = "" }) => {
  const args = ["decode", url, "--json", "--key", keyFile()];
  const right = await tillseal([...args, "--tin", tin]);
  expect([right.status, JSON.parse(right.stdout).signatureValid]).toEqual([0, true]);
  const wrong = await tillseal([...args, "--tin", "RS999999999"]);
  expect([wrong.status, JSON.parse(wrong.stdout).signatureValid]).toEqual([1, false]);
  const unsaid = await tillseal(args);
  expect([unsaid.status, unsaid.stderr]).toEqual([
    2,
    "tillseal: the signature covers the taxpayer's TIN: give it with --tin\n",
  ]);
});

it("tillseal decode decodes version 2, which has no hash, and reports a corrupt URL with exit status 1", async () => {
  const old = await tillseal(["decode", OLD.url]);
  expect(old.status).toBe(0);
  expect(old.stdout).toMatch(/hashValid +none in this version/);
  const corrupt = await tillseal(["decode", CORRUPT.url]);
  expect(corrupt.status).toBe(1);
  expect(corrupt.stdout).toMatch(/hashValid +INVALID/);
  const json = await tillseal(["decode", CORRUPT.url, "--json"]);
  expect([json.status, JSON.parse(json.stdout).hashValid]).toEqual([1, false]);
});

it("tillseal decode accepts a card's certificate as the key, with the TIN in it", async () => {
  const till = await openTill();
  const { verificationUrl } = (await till.sell()).json<{ verificationUrl: string }>();
  const { state } = till.service.secureElement;
  if (state.kind !== "ready") throw new Error(state.kind);
  const folder = temporaryFolder();
  const der = join(folder, "card.der");
  writeFileSync(der, state.identity.certificate);
  const pem = join(folder, "card.pem");
  const asn1 = forge.asn1.fromDer(Buffer.from(state.identity.certificate).toString("latin1"));
  writeFileSync(pem, forge.pki.certificateToPem(forge.pki.certificateFromAsn1(asn1)));
  for (const file of [der, pem]) {
    const { status, stdout } = await tillseal(["decode", verificationUrl, "--key", file]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/signatureValid +valid/);
  }
});

it("tillseal config shows each setting with its source: flag over variable over file over default", async () => {
  const file = join(temporaryFolder(), "tillseal.yaml");
  writeFileSync(file, "port: 1111\nhost: 0.0.0.0\njournalHeader: centred\nallowedHosts: [till.shop]\n");
  const variables = { TILLSEAL_PORT: "2222", TILLSEAL_HOST: "::1", TILLSEAL_NEGATIVE_ITEMS: "true" };
  const { stdout } = await tillseal(["config", "--json", "--config", file, "--port", "3333"], variables);
  const { settings } = JSON.parse(stdout) as { settings: { setting: string; value: unknown; source: string }[] };
  const shown = Object.fromEntries(settings.map(({ setting, value, source }) => [setting, [value, source]]));
  expect(shown).toMatchObject({
    port: [3333, "flag"],
    host: ["::1", "environment"],
    negativeItems: [true, "environment"],
    journalHeader: ["centred", "file"],
    allowedHosts: [["till.shop"], "file"],
    answerForm: ["specification", "default"],
  });
  const text = await tillseal(["config"], variables);
  expect(text.stdout).toMatch(/^port +2222 {2}\(environment\)$/m);
  // A service may run with other flags.
  expect(text.stdout).toMatch(
    /\n\nA service that runs was not asked: it has the flags and variables of its own start\.\n$/,
  );
});

it("tillseal card make-keys makes usable keys, which are visibly for tests", async () => {
  const out = join(temporaryFolder(), "keys");
  expect((await tillseal(["card", "make-keys", "--out", out])).status).toBe(0);
  expect(new Set(readdirSync(out).map((name) => statSync(join(out, name)).mode & 0o777))).toEqual(new Set([0o600]));
  const { loadKeys } = await import("../../emulator/pki/keys.js");
  const made = loadKeys(out);
  expect(made.cardKey).toMatch(/^TEST ONLY/);
  expect(made.cardKey).not.toBe(KEYS.cardKey);
  expect(new X509Certificate(made.issuing.certificate).subject).toContain("TEST ONLY");
  const reader = new (await import("../../emulator/card/emulated-reader.js")).EmulatedReader();
  reader.insert(makeCard({ key: join(out, "test-card.key.pem") }));
  const secureElement = new ApduSecureElement(reader);
  await secureElement.start();
  expect(await secureElement.verifyPin("1234")).toEqual({ kind: "verified" });
}, 60_000);

it("tillseal environment check shows the rates of a file and which are valid now", async () => {
  const { status, stdout } = await tillseal(["environment", "check", environmentFile("cyrillic")]);
  expect(status).toBe(0);
  expect(stdout).toContain("cyrillic.yaml is valid.\nПРОБА, Пробна пореска управа, RS, Central Europe Standard Time");
  expect(stdout).toContain("Group 1 from 2015-01-01T00:00:00.000Z\n  1  П-ПДВ: Е 8 %\n  2  О-ПДВ: Ђ 18 %\n");
  expect(stdout).toContain("Group 5 from 2022-05-01T00:00:00.000Z, valid now\n  1  П-ПДВ: Е 10 %\n");
});

it("tillseal environment check says which values of the country have no proof", async () => {
  const serbia = await tillseal(["environment", "check", environmentFile("cyrillic")]);
  expect(serbia.stdout).toContain("Country: Serbia: every value has a source.\n");
  const fiji = await tillseal(["environment", "check", environmentFile("fj")]);
  expect(fiji.stdout).toContain("Country: Fiji is a preview; unproven: country code (FJ), ");
  expect(fiji.stdout).toContain("not known: form of the TIN, maker codes.\n");
});
