/** The emulated card's memory is kept with the store, so it forgets nothing that the store knows after a crash. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CardState } from "../../emulator/card/card-state.js";
import type { Given } from "../../emulator/world/given.js";
import type { World } from "../../emulator/world/world.js";
import { backupStore } from "../../src/ledger/backup.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { openedWorld } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, sale } from "../support/sale.js";
import { callService } from "../support/till.js";

const open = (dataDir: string, given: Given = {}) =>
  openedWorld({ card: { pinVerified: true }, ...given }, { dataDir });

async function sell(world: World, fields: object = {}) {
  const body = { ...sale(), ...fields };
  const answer = await callService(world.url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS }, body });
  return answer.json<{ totalCounter: number; invoiceNumber: string }>();
}

/** A world in a new folder that has sold so often. */
async function sold(count: number) {
  const dataDir = temporaryFolder();
  const world = await open(dataDir);
  for (let i = 0; i < count; i++) await sell(world);
  return { dataDir, world };
}

const remembered = (world: World): CardState | undefined => world.card?.memory.load();

/** A copy of the folder as a power failure would leave it, while the world runs on. */
function copyOf(dataDir: string): string {
  const copy = join(temporaryFolder(), "copy");
  cpSync(dataDir, copy, { recursive: true, filter: (file) => !/\.lock|running/.test(file) });
  return copy;
}

const afterPowerLoss = (dataDir: string, given?: Given): Promise<World> => open(copyOf(dataDir), given);

it("the card's memory in a store knows counters, sum and last answer after a power failure", async () => {
  const { dataDir, world } = await sold(1);
  const { invoiceNumber } = await sell(world);
  const refund = { transactionType: "Refund", referentDocumentNumber: invoiceNumber };
  await sell(world, refund);
  await sell(world, { invoiceType: "Training" });
  const again = await afterPowerLoss(dataDir);
  expect(remembered(again)).toEqual(remembered(world));
  expect((await sell(again)).totalCounter).toBe(5);
});

it("the card's memory in a store knows them too when the world has got a card with another UID", async () => {
  const { dataDir, world } = await sold(3);
  const again = await afterPowerLoss(dataDir, { otherCards: { other: { uid: "OTHERONE" } } });
  expect(remembered(again)).toEqual(remembered(world));
  expect((await sell(again)).totalCounter).toBe(4);
});

it("the card's memory in a store continues from counters that were set, whatever the store had before", async () => {
  const { dataDir, world } = await sold(3);
  await world.card?.alter((state) => ({ ...state, totalCounter: 1, sum: 0n }));
  const again = await afterPowerLoss(dataDir);
  expect(remembered(again)).toMatchObject({ totalCounter: 1, sum: 0n });
});

it("the card's memory in a store knows the signatures of the store that a restore has kept after a power failure", async () => {
  const { dataDir, world } = await sold(1);
  const file = join(temporaryFolder(), "backup.db");
  await backupStore(dataDir, file);
  for (let i = 0; i < 2; i++) await sell(world);
  const copy = copyOf(dataDir);
  await restoreStore({ dataDir: copy, file, at: Date.now(), inspect: () => undefined });
  const again = await open(copy);
  expect(remembered(again)).toEqual(remembered(world));
  expect((await sell(again)).totalCounter).toBe(4);
});

it("the card's memory in a store is in its file once the service has stopped", async () => {
  const { dataDir, world } = await sold(3);
  const before = remembered(world);
  await world.close();
  expect(remembered(await open(dataDir))).toEqual(before);
});
