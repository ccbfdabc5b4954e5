/**
 * The emulated card signs many invoices, the service stores them, and the emulated authority audits them over HTTPS. Then each
 * package at the authority is opened and compared with the entry in the store.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FIXTURE_KEYS, loadKeys } from "../../emulator/pki/keys.js";
import { openPackage } from "../../emulator/tax-authority/open-package.js";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { World } from "../../emulator/world/world.js";
import { auditPayload, isAuditable } from "../../src/authority/audit-package.js";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { StoreReading } from "../../src/ledger/store-reading.js";

const { values } = parseArgs({ options: { invoices: { type: "string", default: "10000" } } });
const invoices = Number(values.invoices);
/** POS that sell at the same time. */
const POS = 8;
const UID = "TESTCARD";
const LABELS = ["A", "B", "C", "D", "E", "N"];

const folder = mkdtempSync(join(tmpdir(), "tillseal-audits-"));
const began = Date.now();
const seconds = () => Math.round((Date.now() - began) / 1000);
const say = (line: string) => process.stdout.write(`${line}\n`);

const world = await World.open(
  { authority: {}, card: { pinVerified: true, limit: "99000000000" }, settings: { auditShare: 100, auditAge: 0 } },
  { dataDir: folder },
);
let problems: string[];
try {
  await sellAll();
  say(`${invoices} invoices signed and stored after ${seconds()} s`);
  await world.do({ authority: "audit-now" });
  const authority = world.taxAuthority;
  if (!authority) throw new Error("the authority does not run");
  for (let round = 0; round < 20 && sum() !== 0n; round++) await world.service.talkToAuthority();
  say(`audited after ${seconds()} s`);
  problems = compared(authority);
} finally {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems.slice(0, 20)) say(`WRONG: ${problem}`);
say(
  `${invoices} invoices: ${invoices - problems.length} packages at the authority equal the store and are verified, ` +
    `${problems.length} problems; ${seconds()} s, ${Math.round(process.cpuUsage().user / 1e6)} s of CPU`,
);
process.exit(problems.length === 0 ? 0 : 1);

function sum(): bigint | undefined {
  return world.card?.memory.load().sum;
}

async function sellAll(): Promise<void> {
  let next = 0;
  const pos = async () => {
    while (next < invoices) await sell(next++);
  };
  await Promise.all(Array.from({ length: POS }, pos));
}

/** Kinds, labels and amounts differ from sale to sale. */
async function sell(number: number): Promise<void> {
  const amount = Number((1 + (number % 977) + (number % 100) / 100).toFixed(2));
  const item = { name: `Item ${number}`, quantity: 1, labels: [LABELS[number % LABELS.length]] };
  const invoice = {
    invoiceType: ["Normal", "Advance", "Training", "Proforma"][number % 4],
    transactionType: "Sale",
    payment: [{ amount, paymentType: "Cash" }],
    items: [{ ...item, unitPrice: amount, totalAmount: amount }],
    options: { omitQRCodeGen: "1" },
  };
  const answer = await fetch(`${world.url}/api/v3/invoices`, {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: `${number}` },
    body: JSON.stringify(invoice),
  });
  if (answer.status !== 200) throw new Error(`sale ${number}: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Differences between the card, the authority and the store. */
function compared(authority: TaxAuthorityServer): string[] {
  const differences: string[] = [];
  const key = loadKeys(FIXTURE_KEYS).authorityPrivateKey;
  const { packages } = authority.content;
  const verdicts = new Map(authority.office.packages(UID).map((record) => [record.number, record]));
  if (sum() !== 0n) differences.push(`the card's sum is ${sum()}: it did not accept the proof`);
  if (authority.office.gaps(UID).length > 0) differences.push("the authority sees gaps");
  const store = StoreReading.open(folder);
  let entries = 0;
  for (const entry of store.entries()) {
    entries++;
    const { number } = entry;
    const verdict = verdicts.get(number ?? "");
    const sent = packages[`${UID}/${verdict?.counter}`];
    if (!isAuditable(entry) || !verdict || sent === undefined) differences.push(`${number} is not at the authority`);
    else if (verdict.status !== PACKAGE_STATUS.verified) differences.push(`${number}: ${verdict.findings.join(", ")}`);
    else if (openPackage(JSON.parse(sent), key) !== auditPayload(entry))
      differences.push(`${number} is not what is stored`);
  }
  store.close();
  if (entries !== invoices) differences.push(`the store has ${entries} entries`);
  if (verdicts.size !== entries) differences.push(`the authority has ${verdicts.size} packages`);
  return differences;
}
