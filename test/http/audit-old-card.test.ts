/** A new card for the same taxpayer: sales of the old card can still reach the tax authority. */
import { expect, it, vi } from "vitest";
import { AuthorityKeys } from "../../src/authority/authority-key.js";
import type { StickFile } from "../../src/authority/stick-files.js";
import { AuthorityError } from "../../src/authority/tax-authority.js";
import type { AuditsRecord } from "../../src/console/records/audits.js";
import { AuditingAuthority, openPackage } from "../support/auditing-authority.js";
import { makeCard } from "../support/emulated-card.js";
import { newLedgers } from "../support/ledgers.js";
import { openTill } from "../support/till.js";

it("the service exports the sales of the old card while the new one sells", async () => {
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

it("the service refuses to sell with a new card until the old one is audited, if the setting says so", async () => {
  const authority = new AuditingAuthority();
  authority.failure = new AuthorityError("unreachable", "no line");
  const old = makeCard();
  const till = await openTill({ card: old, settings: { newCard: "waits" }, openAuthority: () => authority });
  expect((await till.sell()).status).toBe(200);
  const change = async (card: typeof old) => {
    till.reader.insert(card);
    await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  };
  const fresh = makeCard({ uid: "NEWCARD1" });
  await change(fresh);
  expect((await till.sell()).json()).toMatchObject({
    code: "1100",
    details: expect.stringContaining("1 sales of the card TESTCARD have no proof of audit"),
  });
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({
    gsc: expect.arrayContaining(["1100"]),
  });
  expect((await till.call("GET", "/console/till")).json()).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ key: "oldCardUnproven", severity: "stops" })]),
  });
  // The old card may sell. After its audit the new one may, too.
  await change(old);
  expect((await till.sell()).status).toBe(200);
  authority.failure = undefined;
  authority.closed = false;
  await vi.waitFor(async () => {
    const started = await till.call("POST", "/console/audit/start");
    expect(started.json()).toMatchObject({ begun: true });
  }, 20_000);
  await vi.waitFor(() => {
    void till.service.talkToAuthority();
    expect(till.cardState().sum).toBe(0n);
  }, 20_000);
  await change(fresh);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

/** A till whose card was replaced while sales of the old one were unsent. @param old profile of the old card */
async function replaced(authority: AuditingAuthority, old: Record<string, unknown> = {}) {
  authority.failure = new AuthorityError("unreachable", "no line");
  const openAuthority = () => {
    authority.closed = false;
    return authority;
  };
  const till = await openTill({ openAuthority, card: makeCard(old) });
  for (let i = 0; i < 3; i++) await till.sell();
  // The authority's key is asked for in the background.
  const files = (await till.call("GET", "/console/audit/files?uid=TESTCARD")).text;
  expect(files.split("\n")).toHaveLength(5);
  till.reader.insert(makeCard({ uid: "NEWCARD1" }));
  await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  await till.sell();
  authority.failure = undefined;
  void till.service.talkToAuthority();
  const sent = () => authority.packages.map(({ result }) => result.invoiceNumber);
  const oldCard = async () => {
    const { cards } = (await till.call("GET", "/console/audit")).json<AuditsRecord>();
    return cards.find(({ uid }) => uid === "TESTCARD");
  };
  return { till, sent, old: oldCard };
}

const numbers = (...counters: number[]) => counters.map((counter) => `TESTCARD-TESTCARD-${counter}`);

it("the service sends the sales of the old card online after those of the new one", async () => {
  const authority = new AuditingAuthority();
  const { sent, old } = await replaced(authority);
  await vi.waitFor(() => expect(sent()).toEqual(["NEWCARD1-NEWCARD1-1", ...numbers(1, 2, 3)]), 20_000);
  await vi.waitFor(async () => expect(await old()).toMatchObject({ unsent: 3, allSent: true, refused: [] }));
});

it("the service keeps talking for the new card when the authority refuses packages of the old one, and shows the refusal", async () => {
  const authority = new AuditingAuthority();
  authority.refuses.set(2, 403);
  const { till, sent, old } = await replaced(authority);
  const [refused] = numbers(2);
  await vi.waitFor(async () => expect(await old()).toMatchObject({ refused: [{ number: refused }] }), 20_000);
  // The new card's second sale has the same counter; the authority accepts it.
  authority.refuses.clear();
  void till.service.talkToAuthority();
  await till.sell();
  void till.service.talkToAuthority();
  await vi.waitFor(() => expect(authority.asked).toBeGreaterThan(2));
  expect(sent()).not.toContain(numbers(3)[0]);
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({ gsc: ["0100", "0210"] });
});

it("the service sends no sale of another taxpayer's card", async () => {
  const authority = new AuditingAuthority();
  const { sent, old } = await replaced(authority, { taxpayer: { tin: "RS999999999" } });
  await vi.waitFor(() => expect(sent()).toEqual(["NEWCARD1-NEWCARD1-1"]), 20_000);
  expect(await old()).toMatchObject({ unsent: 3, allSent: false });
});

it("the service asks the card for the authority's key while the card is still there", async () => {
  const till = await openTill();
  const audits = newLedgers().audits;
  const keys = new AuthorityKeys(till.service.secureElement, audits);
  keys.remember();
  await vi.waitFor(async () => expect(await audits.authorityKey("TESTCARD")).toHaveLength(259), 20_000);
  till.reader.remove();
  expect(await new AuthorityKeys(till.service.secureElement, audits).of("TESTCARD")).toBeDefined();
});
