/** The circle of configuration, packages, audit and proof, with each fault of the emulated authority. */
import { expect, it, vi } from "vitest";
import {
  AUTHORITY_FAULTS,
  type AuthorityFaults,
  ODD_CONFIGURATIONS,
} from "../../emulator/tax-authority/authority-faults.js";
import { asleep } from "../support/asleep.js";
import { openAuthority } from "../support/audited-till.js";
import { KEYS, makeCard } from "../support/emulated-card.js";
import { serviceClient } from "../support/service-client.js";
import { openTill } from "../support/till.js";

type Faults = Partial<AuthorityFaults>;

const UID = "TESTCARD";
const HOUR_MS = 3_600_000;
const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

/** A till without an environment file, and an authority with faults. The fourth sale crosses the card's limit. */
async function connected(faults: Faults) {
  const server = await openAuthority({ keys: KEYS });
  server.office.setFaults(faults);
  const card = makeCard({ limit: "400" });
  server.office.register({ certificate: card.certificate });
  const client = await serviceClient(server, UID);
  let passed = 0;
  const till = await openTill({
    card,
    now: () => Date.now() + passed,
    timer: { now: () => performance.now() + passed, sleep: asleep },
    environment: null,
    openAuthority: () => client,
  });
  return {
    office: server.office,
    till,
    passHour: () => {
      passed += HOUR_MS;
    },
    gsc: async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc,
    sell: async () => (await till.sell()).json<{ totalCounter?: number; code?: string }>(),
  };
}

type Shop = Awaited<ReturnType<typeof connected>>;

async function configure({ till, office, gsc }: Shop): Promise<void> {
  await until(async () => {
    void till.service.talkToAuthority();
    expect(await gsc()).toEqual(["0100", "0210"]);
  });
  await until(() => {
    void till.service.talkToAuthority();
    expect(office.commands(UID)).toEqual([]);
  });
}

async function sellToLimit({ sell }: Shop): Promise<void> {
  for (const totalCounter of [1, 2, 3, 4]) expect(await sell()).toMatchObject({ totalCounter });
}

async function beAudited({ till, office, sell, passHour }: Shop): Promise<void> {
  await until(() => {
    // A package that was refused, or not verified, is sent again in an hour.
    passHour();
    void till.service.talkToAuthority();
    expect(till.cardState().sum).toBe(0n);
  });
  await until(() => expect(office.card(UID).proofs.some(({ accepted }) => accepted)).toBe(true));
  const packages = office.packages(UID);
  expect(packages.map(({ counter, status }) => [counter, status])).toEqual([1, 2, 3, 4].map((n) => [n, 4]));
  expect(office.gaps(UID)).toEqual([]);
  expect(await sell()).toMatchObject({ totalCounter: 5 });
}

const HARMLESS: readonly Faults[] = [
  { delay: "20ms" },
  { duplicateCommands: true },
  { reversedCommands: true },
  { foreignCommands: true },
  { renegotiation: true },
  { tokenExpiry: "expireAt" },
  { tokenExpiry: "none" },
  { upperCaseNames: true },
  { unreadableCommands: true },
  ...ODD_CONFIGURATIONS.map((oddConfiguration) => ({ oddConfiguration })),
  { strict: true },
];

it.each(HARMLESS)("an audit is complete while the fault is set: %o", async (faults) => {
  const shop = await connected(faults);
  await configure(shop);
  await sellToLimit(shop);
  await beAudited(shop);
  expect(shop.office.faults).toMatchObject(faults);
});

const NO_CONTACT: readonly Faults[] = [
  { down: true },
  { httpStatus: 500 },
  { refuseTokens: true },
  { expiredTokens: true },
];

it.each(NO_CONTACT)("an audit begins once the fault is gone, and says 0220 until then: %o", async (faults) => {
  const shop = await connected(faults);
  const { till, office, gsc, sell } = shop;
  await until(async () => {
    void till.service.talkToAuthority();
    expect(await gsc()).toEqual(["2400", "0100", "0220"]);
  });
  expect(await sell()).toMatchObject({ code: "2400" });
  office.clearFaults();
  await configure(shop);
  await sellToLimit(shop);
  await beAudited(shop);
});

const NO_PROOF: readonly Faults[] = [
  { wrongProof: true },
  { holdProofs: true },
  { packageStatus: 0 },
  { packageStatus: 1 },
  { packageStatus: 2 },
  { refusedCounter: 2 },
];

it.each(NO_PROOF)("an audit ends once the fault is gone; the till sells to the limit: %o", async (faults) => {
  const shop = await connected(faults);
  const { till, office, sell } = shop;
  await configure(shop);
  await sellToLimit(shop);
  // A package that the authority refuses or does not verify holds back neither the others nor the audit.
  await until(() => {
    void till.service.talkToAuthority();
    const { claim, proofs } = office.card(UID);
    expect(claim?.sum ?? proofs.find(({ accepted }) => accepted === false)?.sum).toBe(4_000_000n);
  });
  expect(await sell()).toMatchObject({ code: "2210" });
  expect(till.cardState().sum).toBe(4_000_000n);
  const sent = office.packages(UID).map(({ counter }) => counter);
  expect(sent).toEqual([1, 2, 3, 4].filter((counter) => counter !== faults.refusedCounter));
  office.clearFaults();
  office.verifyAgain(UID);
  await beAudited(shop);
});

it("an audit has each fault in one of these lists", () => {
  const tried = [...HARMLESS, ...NO_CONTACT, ...NO_PROOF].flatMap((faults) => Object.keys(faults));
  expect([...new Set(tried)].toSorted()).toEqual(Object.keys(AUTHORITY_FAULTS).toSorted());
});
