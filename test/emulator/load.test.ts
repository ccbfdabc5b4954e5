/** `tillseal load` sends sample invoices at a rate and reports the results. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { percentilesOf } from "../../emulator/load/percentiles.js";
import { createEmulator } from "../../emulator/testkit.js";
import { tillseal } from "../support/command.js";
import { foreignStub } from "../support/foreign-stub.js";

interface Result {
  readonly sent: number;
  readonly signed: number;
  readonly failures: Record<string, number>;
  readonly latency?: Record<string, number>;
}

async function emulator(given = {}) {
  const made = await createEmulator({ given });
  onTestFinished(() => made.close());
  return made;
}

describe("percentiles", () => {
  it("are measured times in ascending order, and the last one is the longest", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (times) => {
        const percentiles = Object.values(percentilesOf(times) ?? {});
        expect(percentiles).toEqual(percentiles.toSorted((a, b) => a - b));
        expect(percentiles.every((time) => times.includes(time))).toBe(true);
        expect(percentiles.at(-1)).toBe(Math.max(...times));
      }),
    );
  });

  it("match the ranks of a hundred times", () => {
    const times = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(percentilesOf(times)).toEqual({ p50: 50, p90: 90, p95: 95, p99: 99, max: 100 });
    expect(percentilesOf([])).toBeUndefined();
  });
});

describe("tillseal load", () => {
  it("sends Training invoices at a rate, and each of them is signed", async () => {
    const { url, arrived } = await foreignStub(undefined, { card: { pin: "9876" } });
    const { status, stdout } = await tillseal(["load", url, "--pin", "9876", "--rate", "5", "--for", "1s", "--json"]);
    const result = JSON.parse(stdout) as Result;
    expect([status, result.sent, result.signed, result.failures]).toEqual([0, 5, 5, {}]);
    expect(Object.keys(result.latency ?? {})).toEqual(["p50", "p90", "p95", "p99", "max"]);
    const bodies = arrived.filter(({ what }) => what === "POST /api/v3/invoices").map(({ body }) => body);
    expect(bodies.length).toBe(5);
    expect(bodies.filter((body) => !body.includes('"invoiceType":"Training"'))).toEqual([]);
  });

  it("sends the same invoices for the same seed, and none of them counts as a repeat", async () => {
    const { url, arrived } = await foreignStub(undefined, { card: { pinVerified: true } });
    const args = ["load", url, "--rate", "2", "--for", "1s", "--seed", "friday"];
    await tillseal(args);
    const first = arrived.map(({ body }) => body);
    const again = await tillseal([...args, "--json"]);
    expect((JSON.parse(again.stdout) as Result).signed).toBe(2);
    const second = arrived.slice(first.length).map(({ body }) => body);
    expect(second.toSorted()).toEqual(first.toSorted());
  });

  it("stops when nothing is signed, and says why", async () => {
    const { url } = await emulator();
    const { status, stdout } = await tillseal(["load", url, "--for", "1h"]);
    expect([status, stdout]).toEqual([1, expect.stringContaining("20 not signed: 1500")]);
  });

  it("issues other invoices only when a person allows it", async () => {
    const till = await emulator({ card: { pinVerified: true } });
    await tillseal(["load", till.url, "--rate", "20", "--for", "1s", "--issue-real-receipts"]);
    expect(till.card.state.counters.NS).toBeGreaterThan(0);
  });

  it("ends with status 3 when nothing answers or the PIN is refused, and 2 for wrong flags", async () => {
    const { url } = await emulator();
    expect(await tillseal(["load", "http://127.0.0.1:1"])).toMatchObject({ status: 3 });
    expect(await tillseal(["load", url, "--pin", "1111"])).toMatchObject({ status: 3 });
    expect(await tillseal(["load", url, "--rate", "0"])).toMatchObject({ status: 2 });
    expect(await tillseal(["load", url, "--for", "soon"])).toMatchObject({ status: 2 });
  });
});
