/** The emulated authority opens and checks every package: each status, and its causes. */

import { constants, privateEncrypt, publicEncrypt, sign } from "node:crypto";
import { expect, it } from "vitest";
import { decodeInternalData, encodeInternalData, type InternalData } from "../../emulator/pki/internal-data.js";
import { decryptBlock } from "../../emulator/pki/rsa-block.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { signedBytes } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl, verificationUrl } from "../../src/fiscal/verification-url.js";
import { openAuditedTill, openAuthority, packaged, type SoldPackage } from "../support/audited-till.js";
import { authorityClient } from "../support/authority-client.js";
import { KEYS, makeCard } from "../support/emulated-card.js";
import { sale } from "../support/sale.js";

const EVERY_PAIR = ["Normal", "Proforma", "Copy", "Training", "Advance"].flatMap((invoiceType) =>
  ["Sale", "Refund"].map((transactionType) => ({ invoiceType, transactionType })),
);

/** The sale with other internal data and a signature of the card over it, as a faulty card would make it. */
function resigned({ request, result }: SoldPackage, change: Partial<InternalData>): SoldPackage {
  const decoded = decodeVerificationUrl(String(result.verificationUrl));
  const internal = decodeInternalData(
    decryptBlock(decoded.encryptedInternalData, KEYS.authorityPrivateKey) ?? Buffer.alloc(0),
  );
  if (!internal) throw new Error("the internal data cannot be read");
  const padding = constants.RSA_PKCS1_PADDING;
  const plain = encodeInternalData({ ...internal, ...change });
  const encryptedInternalData = publicEncrypt({ key: KEYS.authorityPublicKey, padding }, plain);
  const data = { ...decoded, encryptedInternalData };
  const signature = sign("RSA-SHA1", signedBytes(data, String(result.tin)), KEYS.cardKey);
  const url = verificationUrl("https://tax-authority.test/v/?vl=", { ...data, signature });
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const changed = {
    verificationUrl: url,
    encryptedInternalData: base64(encryptedInternalData),
    signature: base64(signature),
  };
  return { request, result: { ...result, ...changed } };
}

it("a package at the emulated authority is verified for every pair of types: 4", async () => {
  const { sell, submit, authority } = await openAuditedTill();
  const first = await sell();
  const { invoiceNumber: referentDocumentNumber, sdcDateTime: referentDocumentDT } = first.result;
  const sold = [first];
  for (const types of EVERY_PAIR) sold.push(await sell(sale({ ...types, referentDocumentNumber, referentDocumentDT })));
  const odd = { name: 'Ћевапи "\\', quantity: 1.337, unitPrice: 99.99, labels: ["D", "E"], totalAmount: 133.69 };
  sold.push(await sell(sale({ buyerId: "10:123", items: [odd, { ...odd, labels: ["N"] }] })));
  for (const content of sold) expect(await submit(content)).toBe(4);
  expect(authority.office.packages("TESTCARD").map(({ counter }) => counter)).toEqual(sold.map((_, i) => i + 1));
  expect(authority.office.gaps("TESTCARD")).toEqual([]);
});

it("a package at the emulated authority is verified with 512 bytes of internal data: 4", async () => {
  const { sell, submit } = await openAuditedTill({ profile: { internalDataBytes: 512 } });
  expect(await submit(await sell())).toBe(4);
});

it("a package at the emulated authority waits while the card's certificate is not registered, and is verified after that: 0", async () => {
  const { sell, till } = await openAuditedTill();
  const sold = await sell();
  const authority = await openAuthority();
  const client = await authorityClient(authority, "TESTCARD");
  const submit = async () => (await client.call("POST", "/audit", packaged(sold))).json<{ status: number }>().status;
  expect(await submit()).toBe(0);
  authority.office.register({ certificate: till.card.certificate });
  expect(authority.office.packages("TESTCARD")).toMatchObject([{ status: 4, findings: [] }]);
  expect(await submit()).toBe(4);
});

it("a package at the emulated authority is wrong when items, counters, URL (3) or taxes (5) differ from what the card signed, and never 1", async () => {
  const { sell, submit, authority } = await openAuditedTill();
  const { request, result } = await sell();
  const items = [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 99 }];
  const otherUrl = String((await sell()).result.verificationUrl);
  const urls = [otherUrl, "https://tax-authority.test/v/?vl=AAAA"];
  const wrong: SoldPackage[] = [
    { request: { ...request, items }, result },
    { request: { ...request, items: [{ ...items[0], totalAmount: 100, labels: ["Q"] }] }, result },
    { request: { ...request, items: [{ ...items[0], totalAmount: 100, labels: ["C"] }] }, result },
    { request, result: { ...result, invoiceNumber: "TESTCARD-TESTCARD-9" } },
    { request, result: { ...result, invoiceCounter: "1/2NS" } },
    { request, result: { ...result, tin: "RS999999999" } },
    ...urls.map((verificationUrl) => ({ request, result: { ...result, verificationUrl } })),
  ];
  const statuses: unknown[] = [];
  for (const content of wrong) statuses.push(await submit(content));
  expect(statuses).toEqual([3, 5, 5, 3, 3, 3, 3, 3]);
  expect(authority.office.packages("TESTCARD")[0]?.findings).toEqual([expect.stringContaining("verification URL")]);
  // The right one replaces it, and no wrong one replaces the right one.
  expect(await submit({ request, result })).toBe(4);
  expect(await submit(wrong[0])).toBe(3);
  expect(authority.office.packages("TESTCARD")).toMatchObject([{ status: 4 }]);
});

it("a package at the emulated authority is invalid without the card's signature: 2", async () => {
  const { sell, submit } = await openAuditedTill();
  const { request, result } = await sell();
  const signature = Buffer.from(String(result.signature), "base64");
  signature.writeUInt8(signature.readUInt8(100) ^ 1, 100);
  expect(await submit({ request, result: { ...result, signature: signature.toString("base64") } })).toBe(2);
  expect(await submit({ request, result: { ...result, totalAmount: 1 } })).toBe(2);
  expect(await submit({ request: { ...request, buyerId: "10:1" }, result })).toBe(2);
});

it("a package at the emulated authority is wrong when the internal data differs from the result: 3", async () => {
  const { sell, submit } = await openAuditedTill();
  const sold = await sell();
  expect(await submit(resigned(sold, {}))).toBe(4);
  const other = await sell();
  const changes: Partial<InternalData>[] = [
    { uid: "OTHER001" },
    { time: 2n ** 64n - 1n },
    { totalAmount: 1n },
    { totalCounter: 7 },
    { pairCounter: 7 },
    { invoiceType: 3 },
    { transactionType: 1 },
    { categories: [{ orderId: 1, amount: 1n }] },
  ];
  for (const change of changes)
    expect(await submit(resigned(other, change)), JSON.stringify(Object.keys(change))).toBe(3);
  expect(await submit(other)).toBe(4);
});

it("a package at the emulated authority is of an unknown group with rates that the authority never had: 5", async () => {
  const environment = loadNamedEnvironment("cyrillic");
  const { sell, submit } = await openAuditedTill({}, environment ? { environment } : {});
  const { request, result } = await sell();
  expect(await submit({ request, result: { ...result, taxGroupRevision: 9 } })).toBe(5);
});

it("a package at the emulated authority is not accepted when signed after the certificate's revocation, but accepted from before: 6", async () => {
  let now = Date.now();
  const { sell, submit, authority } = await openAuditedTill({ now: () => now }, { clock: { now: () => now } });
  const before = await sell();
  now += 1000;
  authority.office.revoke("TESTCARD");
  const after = await sell();
  expect([await submit(after), await submit(before)]).toEqual([6, 4]);
  authority.office.restore("TESTCARD");
  expect(await submit(after)).toBe(4);
});

it("a package at the emulated authority counts once when it arrives twice, however it is encrypted", async () => {
  const { sell, submit, authority } = await openAuditedTill();
  const sold = await sell();
  expect([await submit(sold), await submit(sold)]).toEqual([4, 4]);
  expect(authority.office.packages("TESTCARD")).toHaveLength(1);
});

it("a package at the emulated authority without usable content is refused with the reason", async () => {
  const { client, sell } = await openAuditedTill();
  const { request, result } = await sell();
  const good = packaged({ request, result });
  const message = async (body: unknown) => {
    const answer = await client.call("POST", "/audit", body);
    expect(answer.status).toBe(400);
    return answer.json<{ message: string }>().message;
  };
  expect(await message("nonsense")).toContain("JSON");
  expect(await message({})).toContain("key");
  expect(await message({ ...good, iv: good.key })).toContain("iv");
  expect(await message({ ...good, key: privateEncrypt(KEYS.cardKey, Buffer.from("a")).toString("base64") })).toContain(
    "key",
  );
  expect(await message({ ...good, payload: good.payload.slice(0, 64) })).toContain("payload");
  expect(await message(packaged("nonsense"))).toContain("package");
  expect(await message(packaged({ request }))).toContain("{request, result}");
  expect(await message(packaged({ request: { ...request, items: [] }, result }))).toContain("request");
  for (const field of ["signature", "totalCounter", "totalAmount", "taxItems", "sdcDateTime", "signedBy"]) {
    expect(await message(packaged({ request, result: { ...result, [field]: { odd: true } } }))).toContain(field);
  }
});

it("a package at the emulated authority is checked against the rates that the service could know at the time", async () => {
  const environment = loadNamedEnvironment("specification");
  if (!environment) throw new Error("no environment");
  let now = Date.now();
  const { sell, submit, authority, client } = await openAuditedTill(
    { now: () => now },
    { environment, clock: { now: () => now } },
  );
  const report = async () => {
    for (const { commandId } of authority.office.commands("TESTCARD"))
      await client.call("PUT", `/commands/${commandId}`, "true");
  };
  await report();
  const [group] = environment.taxRates;
  if (!group) throw new Error("no group");
  now += 1000;
  const [early, late] = [await sell(), await sell()];
  authority.office.setEnvironment({ ...environment, taxRates: [group, { ...group, groupId: 2, validFrom: now }] });
  // The service has the new group only after it reports so.
  expect(await submit(early)).toBe(4);
  await report();
  expect(await submit(late)).toBe(4);
  now += 1000;
  expect(await submit(await sell())).toBe(5);
  expect(authority.office.packages("TESTCARD").at(-1)?.findings).toEqual([
    "rate group 1 was not in force for this sale",
  ]);
});

it("a package at the emulated authority is accepted from a card that replaced another one of the same taxpayer, and from no other", async () => {
  const { sell, authority } = await openAuditedTill();
  const sold = await sell();
  const [sister, stranger] = [makeCard({ uid: "SISTER01" }), makeCard({ uid: "STRANGER", taxpayer: { tin: "RS2" } })];
  const answers: number[] = [];
  for (const card of [stranger, sister]) {
    authority.office.register({ certificate: card.certificate });
    const client = await authorityClient(authority, card.profile.uid);
    answers.push((await client.call("POST", "/audit", packaged(sold))).status);
  }
  expect(answers).toEqual([403, 200]);
  expect(authority.office.packages("TESTCARD")).toMatchObject([{ status: 4 }]);
});
