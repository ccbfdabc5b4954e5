/** With a real card, what changes settings, rates or stored data needs its PIN or the token: other programs have neither. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import { CONSOLE_ENDPOINTS, type ConsoleEndpointName } from "../../src/console/endpoints.js";
import type { SettingsAccess } from "../../src/console/settings.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, type Till } from "../support/till.js";

/** For each endpoint that changes something, a valid body, and why no PIN is asked for if none is. */
const CHANGES: Partial<Readonly<Record<ConsoleEndpointName, readonly [body: object, free?: string]>>> = {
  token: [{}, "the token is what it asks for; only with the setting consoleToken"],
  confirmReports: [{ ids: [1] }],
  decideSale: [{ id: 1, signed: false }],
  settleByTraining: [{}, "signs a Training invoice, as every POS may"],
  keyPin: [{ keyPin: "0000" }],
  startAudit: [{}, "sends only what the authority must get"],
  carried: [{ uid: "TESTCARD", entry: 1 }],
  auditCommands: [{ uid: "TESTCARD", commands: "[]" }],
  confirmCommands: [{ uid: "TESTCARD", ids: [1] }],
  refuseCommands: [{ uid: "TESTCARD", ids: [1] }],
  seenChanges: [{ ids: [1] }],
  eraseData: [{ before: "2016-01-01T00:00:00Z" }],
  freeSpace: [{}],
  tryFolder: [{ folder: "/" }],
  forgetTraffic: [{}, "a copy in memory, which many requests push out too"],
  saveSettings: [{ technician: "Ann" }],
  restart: [{}],
  stop: [{}, "asks for the secret in the data folder instead"],
};

const changing = CONSOLE_ENDPOINTS.filter(({ method }) => method !== "GET");

function settingsIn(folder: string, restart: () => void): SettingsAccess {
  const load = () => loadConfig({ flags: { port: 0 }, file: join(folder, "tillseal.yaml") });
  return { running: () => load().settings, load, restart, failed: () => null };
}

async function shop(): Promise<{ till: Till; restarts: () => number }> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "tillseal.yaml"), "{}\n");
  let restarts = 0;
  const settingsAccess = settingsIn(folder, () => restarts++);
  const dataDir = join(folder, "data");
  const till = await openTill({ settings: { card: "pcsc", dataDir }, settingsAccess });
  return { till, restarts: () => restarts };
}

const send = (till: Till, name: ConsoleEndpointName, body: object) => {
  const { method, path } = CONSOLE_ENDPOINTS.find((one) => one.name === name) ?? { method: "", path: "" };
  return till.call(method, `/console${path}`, { headers: JSON_HEADERS, body });
};

it("the console has a decision for each endpoint that changes something", () => {
  expect(Object.keys(CHANGES).toSorted()).toEqual(changing.map(({ name }) => name).toSorted());
});

it.each(Object.entries(CHANGES).flatMap(([name, [body, free]]) => (free === undefined ? [[name, body] as const] : [])))(
  "%s asks for the PIN, and refuses a wrong one",
  async (name, body) => {
    const { till, restarts } = await shop();
    const without = await send(till, name as ConsoleEndpointName, body);
    expect([without.status, without.json()]).toMatchObject([403, { code: "1500" }]);
    const wrong = await send(till, name as ConsoleEndpointName, { ...body, pin: "9999" });
    expect([wrong.status, wrong.json()]).toMatchObject([403, { code: "2100" }]);
    expect(restarts()).toBe(0);
    const right = await send(till, name as ConsoleEndpointName, { ...body, pin: "1234" });
    expect(right.status).not.toBe(403);
  },
);

it.each(
  Object.entries(CHANGES).flatMap(([name, [body, free]]) => (free === undefined ? [] : [[name, body, free] as const])),
)("%s does not ask: %s", async (name, body) => {
  const { till } = await shop();
  const answer = await send(till, name as ConsoleEndpointName, body);
  expect(answer.text).not.toContain('"pinTriesLeft":null');
});

it("no program locks the PIN of the key in the card, and with the card's PIN a person enters it", async () => {
  const card = makeCard({ pin: "1234", pkiPin: "9876" });
  const attempts = () => card.memory.load().pkiPinTriesLeft;
  const full = attempts();
  const settings = { card: "pcsc", dataDir: temporaryFolder() } as const;
  const till = await openTill({ settings, card, cardKey: "set" });
  const key = async () => (await till.call("GET", "/console/audit")).json<{ cardKey: unknown }>().cardKey;
  await expect.poll(key).not.toBe(null);
  for (const keyPin of ["0000", "0001", "0002", "0003", "0004"]) {
    const answer = await send(till, "keyPin", { keyPin });
    expect([answer.status, answer.json()]).toMatchObject([403, { code: "1500" }]);
  }
  expect((await send(till, "keyPin", { cardPin: true })).status).toBe(403);
  expect(attempts()).toBe(full);
  const entered = await send(till, "keyPin", { keyPin: "9876", pin: "1234" });
  expect(entered.json()).toEqual({ kind: "verified" });
});
