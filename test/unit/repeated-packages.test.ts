/** Packages that the authority could not verify yet (status 0 or 1) are sent again, but never too many of them. */
import { pino } from "pino";
import { expect, it } from "vitest";
import { SeededRandom } from "../../emulator/pki/random.js";
import { type PackageParts, Packages } from "../../src/authority/packages.js";
import type { AuditLedger } from "../../src/ledger/audit-ledger.js";
import type { Entry } from "../../src/ledger/ledger.js";

const UID = "TESTCARD";
const HOUR_MS = 3_600_000;
/** A damaged sale: no package can be made of it, and it takes a repetition as any other. */
const ENTRY = { id: 1, uid: UID, number: `${UID}-${UID}-1`, intact: false } as unknown as Entry;

it("the service repeats at most 100 packages in an hour, however many are due", async () => {
  let now = 0;
  let attempts = 0;
  const audits = {
    nextToRepeat: async () => ({ entry: 1, number: "", status: 0 }),
    nextSale: async () => ENTRY,
    commit: async () => void attempts++,
  } as unknown as AuditLedger;
  const packages = new Packages({
    audits,
    keys: { of: async () => ({}) } as unknown as PackageParts["keys"],
    clock: { now: () => now },
    random: new SeededRandom("repeated packages"),
    log: pino({ level: "silent" }),
  });
  const authority = { submit: () => Promise.reject(new Error("nothing can be sent")) };
  const repeatAll = async () => {
    const before = attempts;
    while (await packages.repeatNext(UID, authority));
    return attempts - before;
  };
  expect(await repeatAll()).toBe(100);
  now = HOUR_MS - 1;
  expect(await repeatAll()).toBe(0);
  now = HOUR_MS;
  expect(await repeatAll()).toBe(100);
});
