/** A published card, used by a program that talks to pcscd and knows nothing of the emulator. */
import { expect, it, onTestFinished } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { selectsSecureElement } from "../../src/secure-element/apdu/card-session.js";
import { PcscReader } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { sign, signed } from "../contract/secure-element.contract.js";
import { tillsealProcess } from "../support/command.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually } from "../support/pcsc.js";
import { testedBinding } from "../support/pcsc-card.js";
import { type Published, publish } from "../support/publish.js";
import { openTill } from "../support/till.js";

const pcscd = pcscdForFile();

/** Another program that uses the card during the test. */
async function openProgram() {
  const reader = new PcscReader({
    binding: testedBinding(),
    probe: selectsSecureElement,
    resetAtEnd: true,
    retryDelayMs: 100,
  });
  const program = new ApduSecureElement(reader);
  await program.start();
  onTestFinished(() => program.close());
  const sees = (isSo: (state: ApduSecureElement["state"]) => boolean, what: string) =>
    eventually(() => isSo(program.state), `the program sees ${what}`);
  return {
    program,
    sees,
    seesCard: (uid = "TESTCARD") => sees((now) => now.kind === "ready" && now.identity.uid === uid, uid),
    seesNoCard: () => sees((now) => now.kind === "no-card", "no card"),
  };
}

it("a published card remembers every signature in its data folder, however its process or pcscd ends", async () => {
  const folder = temporaryFolder();
  const card = await publish("--data-dir", folder);
  const { program, seesCard, seesNoCard } = await openProgram();
  await seesCard();
  await program.verifyPin("1234");
  await signed(program);
  await program.verifyPin("9999");
  card.process.kill("SIGKILL");
  await seesNoCard();
  const again = await publish("--data-dir", folder);
  await seesCard();
  expect(await program.pinTriesLeft()).toMatchObject({ pinTriesLeft: 4 });
  await program.verifyPin("1234");
  expect(await program.amountStatus()).toMatchObject({ sum: 1_200_000n });
  expect((await signed(program)).totalCounter).toBe(2);
  await pcscd.stop();
  await again.waitFor(/is out of the virtual reader/);
  await pcscd.start();
  await again.waitFor(/is in the virtual reader/);
  await seesCard();
  expect(await program.verifyPin("1234")).toEqual({ kind: "verified" });
  expect((await signed(program)).totalCounter).toBe(3);
});

const ends: readonly [string, (card: Published) => void][] = [
  ["quit", (card) => card.say("quit")],
  ["SIGTERM", (card) => void card.process.kill("SIGTERM")],
  ["SIGKILL", (card) => void card.process.kill("SIGKILL")],
];

it.each(ends)("a published card never signs a number twice: four sales between each %s", async (_, end) => {
  const folder = temporaryFolder();
  const { program, seesCard, seesNoCard } = await openProgram();
  const counters: number[] = [];
  for (let start = 0; start < 3; start++) {
    const card = await publish("--data-dir", folder);
    await seesCard();
    await program.verifyPin("1234");
    for (let sale = 0; sale < 4; sale++) counters.push((await signed(program)).totalCounter);
    end(card);
    await card.exited;
    await seesNoCard();
  }
  expect(counters).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

it("a published card refuses a second process on its data folder", async () => {
  const folder = temporaryFolder();
  await publish("--data-dir", folder);
  const second = await tillsealProcess(["card", "publish", "--data-dir", folder]);
  expect([second.status === 0, second.stderr]).toEqual([false, expect.stringContaining(`${folder} is in use`)]);
});

it("a published card is locked, disabled, limited, audited and counted through the control interface, as the program sees", async () => {
  const { control } = await publish();
  const { program, sees, seesCard } = await openProgram();
  await seesCard();
  await program.verifyPin("1234");
  expect((await control("GET", "/card")).json()).toMatchObject({ pin: "verified", inserted: true });
  await control("POST", "/do", { card: { patch: { limit: "100", counters: { total: 41, NS: 7 } } } });
  expect(await signed(program)).toMatchObject({ totalCounter: 42, transactionTypeCounter: 8 });
  expect(await sign(program)).toEqual({ kind: "limit-reached" });
  expect((await control("POST", "/do", { authority: "audit" })).json()).toMatchObject({ sum: "0" });
  await control("POST", "/do", { authority: "disable" });
  expect(await sign(program)).toEqual({ kind: "disabled" });
  await control("POST", "/do", { authority: "enable" });
  expect((await signed(program)).totalCounter).toBe(43);
  expect((await control("POST", "/do", { card: { patch: { locked: true } } })).json()).toMatchObject({ pin: "locked" });
  await sees((state) => state.kind === "ready" && state.pin === "locked", "a locked card");
  expect(await sign(program)).toEqual({ kind: "locked" });
  // Sums and counters start again, and so does the card's session with the reader.
  await control("POST", "/reset");
  await eventually(async () => (await program.verifyPin("1234")).kind === "verified", "the new card is taken");
  expect((await signed(program)).totalCounter).toBe(1);
});

it("a published card is removed, inserted and swapped through the control interface", async () => {
  const { control } = await publish("--scenario", "card/swapped");
  const { seesCard, seesNoCard } = await openProgram();
  const { cards } = (await control("GET", "/card")).json<{ cards: string[] }>();
  await seesCard();
  expect((await control("POST", "/do", { card: "remove" })).json()).toMatchObject({ inserted: false, pin: "no-card" });
  await seesNoCard();
  // Faster than any hand, but pcscd still sees the reader empty.
  await control("POST", "/do", { card: "insert" });
  await seesCard();
  const name = cards.find((card) => card !== "main") ?? "";
  const { uid } = (await control("POST", "/do", { card: { swap: name } })).json<{ uid: string }>();
  await seesCard(uid);
  await control("POST", "/do", { card: "unplug" });
  await seesNoCard();
  await control("POST", "/do", { card: "plug" });
  await seesCard(uid);
});

it("a published card shows a service in another process that it was put in, locked and unlocked, without a sale or a PIN", async () => {
  const reader = new PcscReader({ binding: testedBinding(), probe: selectsSecureElement, resetAtEnd: true });
  const till = await openTill({ driver: reader, pinVerified: false });
  const codeIs = (code: string) =>
    eventually(
      async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc[0] === code,
      `the card's code is ${code}`,
    );
  await codeIs("1300");
  const { control } = await publish();
  await codeIs("1500");
  for (const [locked, code] of [
    [true, "2110"],
    [false, "1500"],
  ] as const) {
    await control("POST", "/do", { card: { patch: { locked } } });
    await codeIs(code);
  }
  await till.pin("1234");
  await control("POST", "/do", { card: { patch: { locked: true } } });
  await codeIs("2110");
});

it("a published card fails where a fault is set, and refuses a fault that could have no effect", async () => {
  const { control } = await publish();
  const { program, seesCard, seesNoCard } = await openProgram();
  await seesCard();
  await program.verifyPin("1234");
  await control("POST", "/do", { faults: [{ on: "sign", nth: 1, kind: "statusWord", statusWord: "6A80" }] });
  await control("POST", "/do", { faults: [{ on: "sign", nth: 2, kind: "removedAfter" }] });
  expect(await sign(program)).toEqual({ kind: "bad-data" });
  expect((await sign(program)).kind).toBe("unknown");
  await seesNoCard();
  expect((await control("GET", "/card")).json()).toMatchObject({ inserted: false, counters: { total: 1 } });
  expect((await control("GET", "/faults")).json()).toMatchObject([{ struck: 1 }, { struck: 1 }]);
  for (const fault of [
    { on: "storeIntent", kind: "diskFull" },
    { on: "sign", kind: "clockJump", duration: "1ms" },
  ]) {
    const refused = await control("POST", "/do", { faults: [fault] });
    expect([refused.status, refused.json().message]).toEqual([
      400,
      expect.stringContaining("does not concern the card"),
    ]);
  }
});

it("a published card describes exactly the calls that it accepts", async () => {
  const { control } = await publish();
  const { paths } = (await control("GET", "/openapi.json")).json<{ paths: Record<string, object> }>();
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/control/card", "/control/faults", "/control/reset"]));
  expect(Object.keys(paths)).not.toContain("/control/clock");
  const steps = JSON.stringify(paths["/control/do"]);
  expect([steps.includes("end-audit"), steps.includes("stick-export")]).toEqual([true, false]);
  expect((await control("POST", "/do", { service: "kill" })).status).toBe(400);
  expect((await control("GET", "/clock")).status).toBe(404);
});
