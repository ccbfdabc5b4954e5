/** Faults for the requests that a tester chooses, and the shipped values of a tester without the control interface. */
import { expect, it, onTestFinished } from "vitest";
import { whereText } from "../../emulator/faults/fault.js";
import type { Given } from "../../emulator/world/given.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { PublishedCards } from "../../emulator/world/published-cards.js";
import { World } from "../../emulator/world/world.js";
import { openedWorld } from "../support/control.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const open = (given: Given) => openedWorld(given);

const item = (name: string) => ({ items: [{ name, quantity: 1, unitPrice: 10, totalAmount: 10, labels: ["A"] }] });

/** The code or the number of the answer to a sale; "broken" if it did not arrive. */
async function sold(world: World, RequestId: string, fields: object): Promise<string> {
  const body = sale({ ...fields, payment: [{ amount: 10, paymentType: "Cash" }] });
  const headers = { ...JSON_HEADERS, RequestId };
  try {
    const record = (await callService(world.url, "POST", "/api/v3/invoices", { headers, body })).json();
    return String(record.code ?? record.totalCounter);
  } catch {
    return "broken";
  }
}

const VALUES = [
  { name: "TEST-LOST-ANSWER", sees: "broken", signs: true },
  { name: "TEST-SLOW", sees: "receipt", signs: true },
  { name: "TEST-BROKEN-ANSWER", sees: "broken", signs: true },
  { name: "TEST-2210", sees: "2210", signs: false },
  { name: "TEST-2220-UNSIGNED", sees: "2220", signs: false },
  { name: "TEST-2220-SIGNED", sees: "2220", signs: true },
  { name: "TEST-2809", sees: "2809", signs: false },
] as const;

it("the test values go wrong each time, and the repeat and the sale after each are signed", async () => {
  const world = await open(readGiven("given/test-values"));
  let signed = 0;
  for (const round of [1, 2]) {
    for (const { name, sees, signs } of VALUES) {
      const id = `${name}-${round}`;
      const article = item(`Bread ${name} (A)`);
      const before = world.clock.now();
      const first = await sold(world, id, article);
      if (name === "TEST-SLOW") expect(world.clock.now() - before).toBeGreaterThanOrEqual(20_000);
      const counted = world.look("card").counters.total;
      expect([id, first, counted]).toEqual([
        id,
        sees === "receipt" ? String(signed + 1) : sees,
        signed + (signs ? 1 : 0),
      ]);
      signed++;
      expect([id, await sold(world, id, article)]).toEqual([id, String(signed)]);
      signed++;
      expect([id, await sold(world, `${id}-next`, item("Milk"))]).toEqual([id, String(signed)]);
    }
  }
  const others = world.faults.list.filter(({ on }) => on !== "lastSigned");
  expect(others.map(({ struck }) => struck)).toEqual(VALUES.map(() => 2));
});

it("a fault meets only the requests that its where describes, in any spelling, and nth counts only those", async () => {
  const where = { requestId: { $match: "^b" }, invoice: { cashier: "Ana", transactionType: "Sale" }, repeat: false };
  const world = await open({
    card: { pinVerified: true },
    faults: [{ on: "sign", kind: "statusWord", statusWord: "6307", nth: 2, where }],
  });
  const ana = { cashier: "Ana", transactionType: 0 };
  for (const [id, fields, result] of [
    ["a1", ana, "1"],
    ["b1", {}, "2"],
    ["b2", ana, "3"],
    ["b2", ana, "3"],
    ["b3", ana, "2210"],
    ["b3", ana, "4"],
    ["b4", ana, "5"],
  ] as const)
    expect([id, await sold(world, id, fields)]).toEqual([id, result]);
  expect(world.faults.list).toMatchObject([{ seen: 3, struck: 1 }]);
});

it("a where describes no work of the card without a request, and shows no PIN", async () => {
  const path = { $match: "pin$" };
  const world = await open({
    faults: [
      { on: "verifyPin", kind: "statusWord", statusWord: "6F00", where: { path, body: "1234" } },
      { on: "verifyPin", kind: "clockJump", duration: "1h", where: { path, method: "POST" } },
      { on: "select", kind: "clockJump", duration: "1h", where: {} },
    ],
  });
  world.reader.remove();
  await world.insert();
  const post = (body: string) => callService(world.url, "POST", "/api/v3/pin", { body });
  expect((await post("1234")).text).toBe("0100");
  expect(world.faults.list.map(({ struck }) => struck)).toEqual([0, 1, 0]);
});

it("a world whose fault has a where that never matches is refused at its place", async () => {
  const faults = (where: object) => [{ on: "sign", kind: "garbage", where }] as const;
  await expect(World.open({ faults: faults({ body: { $mach: "a" } }) })).rejects.toThrow(
    /^given\.faults\[0\]\.where: .*not \$mach: .*did you mean \$match\?$/,
  );
  await expect(World.open({ faults: faults({ body: { $match: "(" } }) })).rejects.toThrow(/^given.*cannot be used/);
});

it("a published card refuses a fault that depends on a request, in given and later", async () => {
  const fault = { on: "sign", kind: "garbage", where: { method: "POST" } } as const;
  const refused = /where has no effect on a published card/;
  const options = { base: {}, seed: "1", host: "127.0.0.1", port: 1 };
  await expect(PublishedCards.open({ faults: [fault] }, options)).rejects.toThrow(refused);
  const cards = await PublishedCards.open({}, options);
  onTestFinished(() => cards.close());
  expect(() => cards.do({ faults: [fault] })).toThrow(refused);
  await expect(cards.begin({ faults: [fault] })).rejects.toThrow(refused);
});

it("people read what a request must have", () => {
  const name = { $contains: "TEST" };
  const where = { invoice: { items: { $contains: { name } }, cashier: null }, repeat: false };
  expect(whereText(where)).toBe("invoice items name TEST, cashier null, repeat false");
});
