/** Status and console answer with the last known state while the card hangs. A test decides when the card answers. */
import { expect, it, onTestFinished } from "vitest";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { makeCard } from "../support/emulated-card.js";
import { openTill, type Till } from "../support/till.js";

const SELECT = 0xa4;
const SIGN = 0x13;
const AMOUNT_STATUS = 0x14;
const TRIES_LEFT = 0x16;

/** A till whose card can be made to hang on one instruction, until the test releases it. */
async function openHangingTill(profile: Record<string, unknown> = {}) {
  let hanging: number | undefined;
  let letGo = () => {};
  let held = Promise.resolve();
  const asked: number[] = [];
  const reader = new EmulatedReader({
    connect: (run) => run(),
    exchange: async (command, run) => {
      asked.push(command[1] ?? 0);
      if (command[1] === hanging) await held;
      return run();
    },
  });
  const card = makeCard(profile);
  reader.insert(card);
  const till = await openTill({ card, reader });
  const endHang = () => {
    hanging = undefined;
    letGo();
  };
  // A stopping service waits for its card.
  onTestFinished(endHang);
  return {
    ...till,
    /** How often the card was asked. */
    times: (instruction: number) => asked.filter((ins) => ins === instruction).length,
    hangOn: (instruction: number) => {
      hanging = instruction;
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    endHang,
  };
}

interface Status {
  readonly gsc: string[];
  readonly uid: string;
  readonly lastInvoiceNumber: string;
}

async function statusOf({ call }: Pick<Till, "call">) {
  const { status, headers, json } = await call("GET", "/api/v3/status");
  return { status, age: headers.age, ...json<Status>() };
}

async function codeBecomes(till: Pick<Till, "call">, code: string) {
  await expect.poll(async () => (await statusOf(till)).gsc[0], { timeout: 20_000 }).toBe(code);
}

it("GET /api/v3/status answers callers at once with the last known state, its age and 2220, after one question to the card", async () => {
  const till = await openHangingTill();
  await till.sell();
  expect(await statusOf(till)).toMatchObject({ age: "0", gsc: ["0100"] });
  till.hangOn(AMOUNT_STATUS);
  const before = till.times(AMOUNT_STATUS);
  const known = { status: 200, uid: "TESTCARD", lastInvoiceNumber: "TESTCARD-TESTCARD-1" };
  for (const answer of await Promise.all([1, 2, 3].map(() => statusOf(till)))) expect(answer).toMatchObject(known);
  await codeBecomes(till, "2220");
  expect(await statusOf(till)).toMatchObject({ ...known, age: expect.stringMatching(/^[1-9]\d*$/) });
  expect(till.times(AMOUNT_STATUS)).toBe(before + 1);
  till.endHang();
  await codeBecomes(till, "0100");
  expect(await statusOf(till)).toMatchObject({ age: "0" });
});

it("GET /api/v3/status does not wait behind a signature that hangs, and the sale ends well when the card answers", async () => {
  const till = await openHangingTill({ limit: "100" });
  await statusOf(till);
  till.hangOn(SIGN);
  const sale = till.sell();
  await codeBecomes(till, "2220");
  till.endHang();
  expect((await sale).status).toBe(200);
  await codeBecomes(till, "0100");
  expect((await statusOf(till)).gsc).toEqual(["0100", "2210", "1400"]);
});

it("GET /api/v3/status says 2220, not 1300, while a hanging card is being read, and 1300 once it is pulled out", async () => {
  const till = await openHangingTill();
  till.reader.remove();
  till.hangOn(SELECT);
  till.reader.insert(till.card);
  await codeBecomes(till, "2220");
  expect(await statusOf(till)).toMatchObject({ uid: "", age: undefined });
  till.reader.remove();
  expect((await statusOf(till)).gsc[0]).toBe("1300");
});

it("GET /api/v3/status shows nothing of a removed, hanging card once another card is inserted", async () => {
  const till = await openHangingTill({ limit: "100" });
  await till.sell();
  expect((await statusOf(till)).gsc).toContain("2210");
  till.hangOn(AMOUNT_STATUS);
  await statusOf(till);
  const other: EmulatedCard = makeCard({ uid: "OTHER111" });
  till.reader.insert(other);
  await expect.poll(async () => (await statusOf(till)).uid).toBe("OTHER111");
  expect(await statusOf(till)).toMatchObject({ age: "0", gsc: expect.not.arrayContaining(["2210"]) });
  till.endHang();
  await expect.poll(async () => (await statusOf(till)).age).toBe("0");
});

it("the console is notified when the card hangs, and does not wait for its PIN attempts", async () => {
  const till = await openHangingTill();
  till.reader.insert(till.card);
  await codeBecomes(till, "1500");
  const silent = new Promise<void>((resolve) => {
    till.service.secureElement.on("changed", (state) => {
      if (state.kind === "ready" && state.silent) resolve();
    });
  });
  till.hangOn(TRIES_LEFT);
  const record = async () => (await till.call("GET", "/console/till")).json();
  expect(await record()).toMatchObject({ codes: ["1500"], card: { pinTriesLeft: null } });
  await silent;
  expect(await record()).toMatchObject({ codes: ["2220"], card: { uid: "TESTCARD" } });
});
