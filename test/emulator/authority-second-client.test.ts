/** A program of another maker, with other habits, at the emulated authority: from the configuration to the proof. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { carryStick } from "../../emulator/tax-authority/run-authority.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { openAuditedTill } from "../support/audited-till.js";
import { temporaryFolder } from "../support/folder.js";
import { SecondClient } from "../support/second-client.js";

const UID = "TESTCARD";
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
