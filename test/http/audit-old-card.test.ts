/** A new card for the same taxpayer: what the old one has sold can still be taken to the tax authority. */
import { expect, it, vi } from "vitest";
import { AuthorityKeys } from "../../src/authority/authority-key.js";
import type { StickFile } from "../../src/authority/stick-files.js";
import type { AuditsRecord } from "../../src/console/records.js";
import { MemoryAuditLedger } from "../../src/ledger/memory-audit-ledger.js";
import { MemoryLedger } from "../../src/ledger/memory-ledger.js";
import { openPackage } from "../support/auditing-authority.js";
import { makeCard } from "../support/emulated-card.js";
import { openTill } from "../support/till.js";

it("exports the sales of the old card while the new one sells", async () => {
  const till = await openTill();
  await till.sell();
  await till.sell();
  const files = async (uid: string) => {
    const { status, text } = await till.call("GET", `/console/audit/files?uid=${uid}`);
    return status === 200
      ? text
          .trim()
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as StickFile)
      : status;
  };
  expect(await files("TESTCARD")).toHaveLength(2);
  till.reader.insert(makeCard({ uid: "NEWCARD1" }));
  await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  await till.sell();
  const { cards } = (await till.call("GET", "/console/audit")).json<AuditsRecord>();
  expect(cards).toMatchObject([
    { uid: "NEWCARD1", inReader: true, unsent: 1 },
    { uid: "TESTCARD", inReader: false, unsent: 2 },
  ]);
  const old = await files("TESTCARD");
  const counters = (Array.isArray(old) ? old : []).map(({ base64 }) => {
    const payload = openPackage(JSON.parse(Buffer.from(base64 ?? "", "base64").toString("utf8")));
    return (JSON.parse(payload) as { result: { totalCounter: number } }).result.totalCounter;
  });
  expect(counters).toEqual([1, 2]);
  expect(await files("NOBODY01")).toBe(404);
});

it("has asked the card for the authority's key before it is gone", async () => {
  const till = await openTill();
  const audits = new MemoryAuditLedger(new MemoryLedger());
  const keys = new AuthorityKeys(till.service.secureElement, audits, 0);
  keys.remember();
  await vi.waitFor(async () => expect(await audits.authorityKey("TESTCARD")).toHaveLength(259), 20_000);
  till.reader.remove();
  expect(await new AuthorityKeys(till.service.secureElement, audits).of("TESTCARD")).toBeDefined();
});
