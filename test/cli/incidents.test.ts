/** `tillseal incidents` lists and settles reports, through a running service or in the store of a stopped one. */
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { backupStore } from "../../src/ledger/backup.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { type RunningService, saying, serve } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS } from "../support/sale.js";
import { pin, sell } from "../support/sell.js";

const controlOf = ({ greeting }: RunningService) => /http:\S+\/control\b/.exec(greeting)?.[0] ?? "";

const post = (url: string, body?: unknown) =>
  fetch(url, { method: "POST", headers: JSON_HEADERS, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

it("reports a restored backup until a person confirms that the receipts are elsewhere", async () => {
  const dataDir = temporaryFolder();
  const copy = join(temporaryFolder(), "copy.db");
  const where = ["--data-dir", dataDir];
  const reports = (...args: string[]) => saying(["incidents", ...args, ...where]);
  const before = await serve(where);
  await pin(before);
  await sell(before);
  await backupStore(dataDir, copy);
  await sell(before);
  await sell(before);
  // A stopped emulator writes its card's file; after a kill the card would be as old as the restored store.
  await before.stop();
  for (const suffix of ["-wal", "-shm"]) rmSync(join(dataDir, `store/tillseal.db${suffix}`), { force: true });
  copyFileSync(copy, join(dataDir, "store/tillseal.db"));
  await pin(await serve(where));

  const [, printed] = await reports();
  expect(printed).toMatch(
    /^Report 1\n {2}Invoices 2 to 3: this service has number and amount of the last one, and lacks the others\.\n/,
  );
  expect(printed).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d UTC, card TESTCARD\n/);
  expect(printed).toContain("Then: tillseal incidents confirm 1\n");
  const [, status] = await saying(["status", ...where]);
  expect(status).toMatch(
    /^Ready to sell\. Invoices of the card TESTCARD are missing or incomplete in this store\..*\n(.*\n)*run tillseal incidents to see what happened\n/,
  );

  const unknown = "tillseal: there is no report 9 to confirm; there is 1\n";
  expect(await reports("confirm", "1", "9")).toEqual([2, unknown]);
  expect(await reports("confirm", "--all")).toEqual([0, "confirmed: 1\n"]);
  expect(await reports()).toEqual([0, "There are no reports to confirm and no sales in doubt.\n"]);
}, 60_000);

it("decides a sale in doubt by its RequestId or by a name that people can type, with and without the service", async () => {
  const dataDir = temporaryFolder();
  const profile = join(temporaryFolder(), "card.yaml");
  writeFileSync(profile, "lastSignedInvoice: false\n");
  const where = ["--data-dir", dataDir];
  const reports = (...args: string[]) => saying(["incidents", ...args, ...where]);
  const service = await serve([...where, "--profile", profile, "--console-token", "true"]);
  const sellInDoubt = async (requestId?: string) => {
    await post(`${controlOf(service)}/do`, { card: "insert" });
    await pin(service);
    await post(`${controlOf(service)}/do`, { faults: [{ on: "sign", kind: "removedBefore", nth: 1 }] });
    await sell(service, requestId);
  };
  await sellInDoubt("order-1");
  const [, printed] = await reports();
  expect(printed).toMatch(/^Sale in doubt: order-1\n.*\n {2}100\.00, since .* UTC, card TESTCARD, RequestId order-1\n/);
  expect(printed).toContain("Put in the card TESTCARD and enter its PIN");
  const unknown = "tillseal: there is no sale order-9 in doubt; there is order-1\n";
  expect(await reports("decide", "order-9", "--signed")).toEqual([2, unknown]);
  expect(await reports("decide", "order-1", "--signed")).toEqual([
    0,
    "order-1: recorded as signed, without a receipt. Report it to the tax authority; to sell it again, use a new RequestId. If the card TESTCARD comes back, its own record decides\n",
  ]);
  expect(await sell(service, "order-1")).toMatchObject({ code: expect.stringMatching("1300|2220") });

  await sellInDoubt();
  await service.stop();
  const [, listed] = await reports();
  expect(listed).toMatch(/^Sale in doubt: sale-2\n/);
  expect(listed).toContain("No service answers. This is the state of its store.");
  const decided =
    "sale-2: recorded as not signed. The POS can send it again. If the card TESTCARD comes back, its own record decides\n";
  expect(await reports("decide", "sale-2", "--not-signed")).toEqual([0, decided]);
  expect(JSON.parse((await reports("--json"))[1])).toEqual({ service: null, inDoubt: [], reports: [] });
  const entries = StoreReading.open(dataDir).use((store) => [...store.entries()]);
  expect(entries.map(({ requestId, state, totalCounter }) => [requestId, state, totalCounter])).toEqual([
    ["order-1", "lost", 1],
  ]);
}, 60_000);
