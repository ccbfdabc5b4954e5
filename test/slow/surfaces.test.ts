/**
 * Status, /ready, metrics, doctor, `tillseal status` and Till do not contradict each other, in any state. `npm run
 * test:long -- surfaces` tries every scenario, fault and state of a store, and this suite a part of them, in half a minute.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { FAULT_KINDS, FAULT_PLACES, type Fault, type FaultKindRule } from "../../emulator/faults/fault.js";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { play } from "../../harness/scenario/play.js";
import { worldStage } from "../../harness/scenario/world-stage.js";
import { systemTimer } from "../../src/base/clock.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { systemRandom } from "../../src/base/random.js";
import { loadConfig } from "../../src/config/load.js";
import { ConsoleEvents } from "../../src/console/events.js";
import { openInMemory } from "../../src/ledger/database.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { Composition } from "../../src/service/composition.js";
import { appOf } from "../../src/service/http-app.js";
import { Observation } from "../../src/service/observation.js";
import type { ServiceParts } from "../../src/service/service-parts.js";
import { CardQuestions } from "../../src/state/card-question.js";
import type { Facts } from "../../src/state/facts.js";
import { FINDING_KEYS } from "../../src/state/findings.js";
import { makeCard } from "../support/emulated-card.js";
import { EXAMPLES, WELL } from "../support/finding-examples.js";
import { temporaryFolder } from "../support/folder.js";
import { testLog } from "../support/log.js";
import { changeStore } from "../support/store-file.js";
import { contradictionsAtSale, contradictionsIn, surfacesOf } from "../support/surfaces.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

const IS_WHOLE = process.env.TILLSEAL_TEST_WHOLE !== undefined;
const oneIn = <T>(every: number, all: readonly T[]) => all.filter((_, i) => IS_WHOLE || i % every === 0);

/** Opens a world whose store is a file, so that the commands that read the store have something to say. */
const openWorld = (given: Given) =>
  World.open(given, { realTime: false, base: { settings: { metrics: true } }, dataDir: temporaryFolder() });

const struckIn = (world: World) => world.faults.list.reduce((sum, fault) => sum + fault.struck, 0);

async function contradictionsOf(world: World): Promise<string[]> {
  const begun = struckIn(world);
  const said = await surfacesOf(world.url, world.folder);
  const before = struckIn(world);
  // A fault has struck between two of these questions.
  if (before !== begun && world.faults.list.every(({ nth }) => nth !== undefined)) return contradictionsOf(world);
  const atSale = await contradictionsAtSale(world.url, said).catch(() => []);
  // A fault that strikes the sale itself was not there to be seen before.
  return [...contradictionsIn(said), ...(struckIn(world) === before ? atSale : [])];
}

const SCENARIOS = scenarioFiles([join(PACKAGE_ROOT, "scenarios")])
  .flatMap(loadScenarios)
  .filter(({ steps }) => steps.length > 0);

it.each(oneIn(50, SCENARIOS).map((one) => [one.name, one] as const))(
  "no surface contradicts another at the end of the scenario: %s",
  async (_, scenario) => {
    const found: string[] = [];
    const { outcome } = await play(scenario, async ({ given }) => {
      const world = await openWorld(given);
      const close = async () => {
        found.push(...(await contradictionsOf(world)));
        await world.close();
      };
      return { ...worldStage(world), close };
    });
    expect([outcome, found]).toEqual(["passed", []]);
  },
);

const FIELDS: Partial<Record<string, Partial<Fault>>> = {
  latency: { duration: "7s" },
  trickle: { duration: "7s" },
  clockJump: { duration: "-400d" },
  statusWord: { statusWord: "6A88" },
  staleStatusWord: { statusWord: "6A88" },
  bitFlip: { bit: 1 },
};
const FAULTS = (Object.entries(FAULT_KINDS) as [Fault["kind"], FaultKindRule][]).flatMap(([kind, { strikes }]) =>
  strikes
    .flatMap((place): readonly string[] => FAULT_PLACES[place].names)
    .flatMap((on) => [1, undefined].map((nth) => ({ on, kind, ...(nth && { nth }), ...FIELDS[kind] }) as Fault)),
);

it.each(oneIn(50, FAULTS).map((fault) => [fault.kind, fault.on, fault.nth ?? "every", fault] as const))(
  "no surface contradicts another after the fault %s on %s, number %s",
  async (_kind, _on, _nth, fault) => {
    const world = await openWorld({ card: { pinVerified: true }, environment: "specification" });
    onTestFinished(() => world.close());
    const sell = () => callService(world.url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
    await sell();
    world.faults.add(fault);
    world.reader.remove();
    await world.insert();
    await callService(world.url, "POST", "/api/v3/pin", { body: "1234" });
    await sell().catch(() => undefined);
    expect(await contradictionsOf(world)).toEqual([]);
  },
);

/** A service that listens, and of which every surface gets these facts. */
async function servedWith(facts: Facts): Promise<string> {
  const folder = temporaryFolder();
  const store = openInMemory(folder, {});
  const reader = new EmulatedReader();
  reader.insert(makeCard());
  const { settings } = loadConfig({ flags: { metrics: true } });
  const parts: ServiceParts = {
    settings,
    reader,
    environment: undefined,
    clock: { now: () => facts.now },
    timer: systemTimer,
    random: systemRandom,
    log: testLog(),
  };
  const real = new ApduSecureElement(reader);
  await real.start();
  const foundation = {
    parts,
    folder,
    store,
    secureElement: real,
    observation: new Observation(parts),
    events: new ConsoleEvents(),
    access: { secret: "", token: undefined, stopAccess: undefined },
  };
  const composition = await Composition.build(foundation);
  // The examples have only those fields of a card that findings read.
  const { state } = facts;
  const known = await real.refresh();
  const identity = "identity" in known ? known.identity : undefined;
  const whole = "identity" in state ? { ...state, identity: { ...identity, ...state.identity } } : state;
  const secureElement = over(real, {
    state: whole,
    refresh: async () => whole,
    amountStatus: async () => (facts.amount ? { kind: "ok", ...facts.amount } : { kind: "no-command" }),
    pinTriesLeft: async () => ({ kind: "no-command" }),
  });
  const { sources, authority } = composition;
  const inForce = () => ({ ...facts, source: facts.environmentSource });
  const { oldestUnsent, wrongPackages, missingSales, oldCard, refusal } = facts;
  const unsent = state.kind === "ready" ? facts.unsent : undefined;
  const stored = { oldestUnsent, wrongPackages, missingSales, oldCard, refusal, unsent, lastNumber: "" };
  const told = over(sources, {
    ...facts,
    clock: { now: () => facts.now },
    secureElement,
    fiscalizer: over(sources.fiscalizer, { doubts: async () => facts.doubts }),
    inForce,
    toRead: () => facts.toRead,
    measureClock: () => undefined,
    questions: new CardQuestions(secureElement, systemTimer),
    health: { folder, problem: async () => facts.storeProblem },
    stored: { read: async () => stored },
    kept: () => {
      const { contact, clockCheck, damagedEntries, indexDamaged, keepsLog, backupsAhead, refusesUnsent, cardKey } =
        facts;
      return { contact, clockCheck, damagedEntries, indexDamaged, keepsLog, backupsAhead, refusesUnsent, cardKey };
    },
    disk: { folder, free: async () => facts.freeBytes },
  });
  const audits = over(sources.audits, { unsent: async () => facts.unsent });
  const auditParts = { ...authority.auditParts, unsentLimit: facts.unsentLimit, secureElement, audits };
  const made = { foundation: { ...foundation, secureElement }, sources: told, authority: { ...authority, auditParts } };
  const { listener, messages } = appOf(over(composition, made));
  const server = createServer(messages, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await real.close();
    store.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An object that has other values for some fields. */
function over<T extends object>(object: T, fields: object): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (name in fields) return (fields as Record<string | symbol, unknown>)[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

it.each(FINDING_KEYS)("no surface contradicts another in the example of the finding %s", async (key) => {
  const url = await servedWith({ ...WELL, ...EXAMPLES[key] });
  expect(contradictionsIn(await surfacesOf(url))).toEqual([]);
});

const SEALED =
  "checksum = checksum(id, request_id, request_hash, uid, state, intent, total_counter, number, signature, answer)";

/** What a disk, a crash, a restore or a person has done to a store with three sales. */
const STATES: Readonly<Record<string, string>> = {
  "a damaged receipt, the oldest": "UPDATE invoices SET answer = json_set(answer, '$.journal', 'x') WHERE id = 1",
  "a damaged receipt, the newest": "UPDATE invoices SET answer = json_set(answer, '$.journal', 'x') WHERE id = 3",
  "damaged signatures of all receipts": "UPDATE invoices SET signature = zeroblob(length(signature))",
  "a damaged intent": "UPDATE invoices SET intent = 'x' WHERE id = 2",
  "a changed time":
    "UPDATE invoices SET signature = CAST(substr(signature, 1, 6) || x'00' || substr(signature, 8) AS BLOB) WHERE id = 2",
  "a damaged row of the card": "UPDATE cards SET last_counter = 9",
  "a card that a restore brought": "UPDATE cards SET restored = 1, checksum = x''",
  "damaged progress": "UPDATE audit_progress SET sent_to = 3",
  "a lost sale": `UPDATE invoices SET state = 'lost', number = NULL, signature = NULL, answer = NULL WHERE id = 3;
    UPDATE invoices SET ${SEALED} WHERE id = 3`,
  "an open report": `INSERT INTO reports (uid, kind, from_counter, to_counter, at) VALUES ('TESTCARD', 'behind', 4, 6, 1)`,
  "a confirmed report": `INSERT INTO reports (uid, kind, from_counter, to_counter, at, confirmed_at)
    VALUES ('TESTCARD', 'behind', 4, 6, 1, 2)`,
  "a report of another card": `INSERT INTO reports (uid, kind, from_counter, to_counter, at) VALUES ('OTHER', 'lost', 4, 4, 1)`,
  "a damaged report": `INSERT INTO reports (uid, kind, from_counter, to_counter, at, checksum)
    VALUES ('TESTCARD', 'lost', 4, 4, 1, x'00')`,
  "a sale in doubt": `UPDATE invoices SET state = 'intent', total_counter = NULL, number = NULL, signature = NULL, answer = NULL
    WHERE id = 3; UPDATE invoices SET ${SEALED} WHERE id = 3`,
  "a sale of another card in doubt": `UPDATE invoices SET uid = 'OTHER', state = 'intent', total_counter = NULL, number = NULL,
    signature = NULL, answer = NULL WHERE id = 3; UPDATE invoices SET ${SEALED} WHERE id = 3`,
};

const PINS = IS_WHOLE ? [true, false] : [true];

it.each(oneIn(3, Object.entries(STATES)).flatMap(([name, sql]) => PINS.map((hasPin) => [name, hasPin, sql] as const)))(
  "no surface contradicts another on a store with %s (PIN entered: %s)",
  async (_, pinVerified, sql) => {
    const [dataDir, card] = [temporaryFolder(), makeCard()];
    const settings = { dataDir, metrics: true };
    const before = await openTill({ card, settings });
    for (let sold = 0; sold < 3; sold++) await before.sell();
    await before.stop();
    changeStore(dataDir, sql);
    const till = await openTill({ card, settings, pinVerified });
    await till.call("GET", "/api/v3/invoices");
    const said = await surfacesOf(till.url, dataDir);
    expect([...contradictionsIn(said), ...(await contradictionsAtSale(till.url, said))]).toEqual([]);
  },
);
