/** The testkit as other projects use it, several at a time. test/tools/run.mjs packs it for a strict project and for Jest. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../harness/testkit.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { openedEmulator } from "../support/control.js";

const run = promisify(execFile);

async function open(options: EmulatorOptions = {}) {
  const till = await openedEmulator(options);
  const post = async (path: string, body: string) =>
    (
      await fetch(`${till.url}/api/v3${path}`, {
        method: "POST",
        body,
        headers: { "Content-Type": "application/json" },
      })
    ).text();
  return { till, post };
}

it("createEmulator accepts differences from a scenario, field by field, and refuses an impossible world", async () => {
  const till = await createEmulator({
    scenario: "pin/card-locked",
    given: { card: { uid: "OTHERONE", pin: "4711" }, clock: { at: "2026-03-01T10:00:00Z" } },
    clock: { ticking: false },
  });
  expect(till.card.state).toMatchObject({ uid: "OTHERONE", pinTriesLeft: 0 });
  expect(till.card.pin).toBe("4711");
  expect(till.clock.now).toBe("2026-03-01T10:00:00.000Z");
  expect(() => till.fault({ on: "sgin" as "sign", kind: "garbage" })).toThrow(/the fault: .*on/);
  await till.close();
  const wrong = { faults: [{ on: "sign", kind: "statusWord" }], bogus: 1 };
  await expect(createEmulator({ given: wrong as object })).rejects.toThrow(
    /statusWord is missing.*bogus is not known|bogus is not known.*statusWord is missing/,
  );
  await expect(createEmulator({ given: { settings: { negativeItem: true } as object } })).rejects.toThrow(
    "negativeItem is not known",
  );
  await expect(createEmulator({ clock: { at: "nonsense" } })).rejects.toThrow("clock.at");
});

it("createEmulator says what is wrong with its options", async () => {
  await expect(createEmulator({ scenario: "no/such" })).rejects.toThrow(/no scenario no\/such: .*pin\//);
  await expect(createEmulator({ given: { card: { pin: "12" } } })).rejects.toThrow(
    /given: card.pin must be 4 digits as text/,
  );
  const { till } = await open();
  expect(() => till.clock.set("yesterday")).toThrow("yesterday is not a time");
  expect(() => till.clock.advance(60_000 as unknown as string)).toThrow("60000 must be a length of time such as 1h30m");
  await expect(createEmulator({ sed: "a" } as object)).rejects.toThrow(
    "createEmulator: sed is not known; did you mean seed? Expected one of scenario, given, seed, clock",
  );
  await expect(createEmulator({ clock: { tick: true } as object })).rejects.toThrow("clock.tick is not known");
  await expect(till.card.patch({ limt: "400" } as object)).rejects.toThrow(
    /^card\.patch: limt is not known; did you mean limit\? Expected one of pinTriesLeft, locked, .*limit/,
  );
  await expect(till.card.patch({ limit: 400 } as object)).rejects.toThrow(
    'card.patch: limit must be an amount as text, such as "1500.5"',
  );
  const contradiction = await till.card.patch({ locked: true, pinTriesLeft: 3 }).catch((error: unknown) => error);
  expect(contradiction).toBeInstanceOf(Error);
  expect({ ...(contradiction as object), name: (contradiction as Error).name }).toEqual({ name: "Error" });
  expect((contradiction as Error).message).toBe("card.patch: locked and pinTriesLeft contradict each other");
  await expect(till.card.swap("other")).rejects.toThrow("there is no card other; the cards are main");
});

it("createEmulator signs the same bytes for the same seed and time", async () => {
  const signed = async () => {
    const { post } = await open({
      given: { card: { pinVerified: true } },
      seed: "a",
      clock: { at: "2026-03-01T10:00:00Z", ticking: false },
    });
    return (JSON.parse(await post("/test-invoice", "{}")) as { verificationUrl: string }).verificationUrl;
  };
  expect(await signed()).toBe(await signed());
});

it("createEmulator keeps its address through many resets, also for a client with kept-alive connections", async () => {
  const { till, post } = await open({ given: { card: { pinVerified: true } } });
  const { url, controlUrl } = till;
  for (let i = 0; i < 30; i++) {
    expect(JSON.parse(await post("/test-invoice", "{}"))).toMatchObject({ totalCounter: 1 });
    await till.reset();
  }
  expect([till.url, till.controlUrl]).toEqual([url, controlUrl]);
});

it("createEmulator is controlled by its card, its clock and its faults, as over HTTP", async () => {
  const { till, post } = await open({ given: { otherCards: { other: { uid: "OTHERONE" } } } });
  till.card.remove();
  expect(await post("/pin", "1234")).toBe('"1300"');
  await till.card.swap("other");
  expect(till.card.state).toMatchObject({ uid: "OTHERONE", inserted: true, pin: "required" });
  expect(await post("/pin", "1234")).toBe('"0100"');
  till.card.reset();
  expect(await post("/test-invoice", "{}")).toContain("1500");
  till.fault({ on: "verifyPin", kind: "noAnswer" });
  expect(await post("/pin", "1234")).toBe('"2220"');
  till.clearFaults();
  expect(await post("/pin", "1234")).toBe('"0100"');
  till.clock.freeze();
  till.clock.set("2026-03-01T10:00:00Z");
  const { at } = (await (await fetch(`${till.controlUrl}/control/clock`)).json()) as { at: string };
  expect([at, till.clock.now]).toEqual(["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000Z"]);
});

it("createEmulator unplugs the reader, restarts and kills the service, and goes back to a snapshot", async () => {
  const { till, post } = await open({ given: { card: { pinVerified: true } } });
  till.card.unplug();
  expect(till.card.state).toMatchObject({ reader: "unplugged", pin: "no-card" });
  await till.card.plug();
  expect(till.card.state).toMatchObject({ reader: "plugged", inserted: true, pin: "required" });
  expect(await post("/pin", "1234")).toBe('"0100"');
  await till.snapshots.take("before");
  expect(JSON.parse(await post("/test-invoice", "{}"))).toMatchObject({ totalCounter: 1 });
  for (const again of [till.service.restart, till.service.kill]) {
    await again();
    expect(till.card.state).toMatchObject({ pin: "required", counters: { total: 1 } });
  }
  await till.snapshots.restore("before");
  expect(till.card.state).toMatchObject({ pin: "verified", counters: { total: 0 } });
  await expect(till.snapshots.restore("no-such")).rejects.toThrow("There is no snapshot no-such");
});

it("createEmulator lets the authority act, and says which act it does not know", async () => {
  const { till } = await open({ given: { authority: {}, card: { pinVerified: true } } });
  await till.authority.do("disable");
  expect(till.card.state.disabled).toBe(true);
  await till.authority.do({ configure: "cyrillic" });
  await till.authority.do("talk");
  const rates = await (await fetch(`${till.url}/api/v3/status`)).text();
  expect(rates).toContain("Ђ");
  await expect(till.authority.do("talks" as "talk")).rejects.toThrow(/^authority\.do: .*did you mean talk\?/);
  const { till: alone } = await open();
  await expect(alone.authority.do("talk")).resolves.toBeUndefined();
  await expect(alone.authority.do("expire-tokens")).rejects.toThrow("there is no tax authority in this world");
  await expect(alone.authority.do("end-audit")).rejects.toThrow("authority.do: end-audit failed: no audit is open");
});

it("createEmulator records what a test does, so that GET /control/recording has it", async () => {
  const { till } = await open();
  till.card.remove();
  till.clock.freeze("2026-03-01T10:00:00Z");
  const recording = (await (await fetch(`${till.controlUrl}/control/recording`)).json()) as { scenario: string };
  expect(recording.scenario).toMatch(/card: remove[\s\S]*ticking: false/);
});

it("createEmulator answers nothing after it is closed", async () => {
  const till = await createEmulator();
  const { url, controlUrl } = till;
  await till.close();
  for (const gone of [url, controlUrl]) await expect(fetch(gone)).rejects.toThrow("fetch failed");
});

it("the package runs the documentation's node:test example unchanged", async () => {
  const { stdout } = await run(process.execPath, [
    "--test",
    "--test-reporter=tap",
    join(PACKAGE_ROOT, "test/examples/locked-card.test.mjs"),
  ]);
  expect(stdout).toMatch(/^# pass 1$/m);
});
