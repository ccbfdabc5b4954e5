/** Audits while POS sell, with the service killed at a step of one: only proven sales leave the card's sum. */
import { setTimeout as sleep } from "node:timers/promises";
import { proofOfAudit } from "../../emulator/pki/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../../emulator/pki/keys.js";
import { parseScaled } from "../../src/fiscal/money.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { call } from "./call.js";
import { NOT_DONE } from "./process-tortures.js";
import type { Run } from "./run.js";
import type { Torture } from "./tortures.js";

const UID = "TESTCARD";
const AUDITS = 3;
const PAUSE_MS = 300;
const PATIENCE_MS = 90_000;
const KEYS = loadKeys(FIXTURE_KEYS);

export const AUDIT_TORTURES: readonly Torture[] = [
  {
    name: "SIGKILL at a step of an audit",
    reality: "real",
    // Other faults of the card or the store would change sums, too.
    alone: true,
    arm: (run) => {
      const stage = run.chance.pick(["before", "during", "after"] as const);
      const ins = run.chance.pick([INS.startAudit, INS.endAudit]);
      run.moments.once(
        stage,
        (exchange) => exchange.ins === ins,
        () => {
          run.crash(`killed ${stage} the card does ${ins.toString(16)}`);
          return stage === "before" ? NOT_DONE : undefined;
        },
      );
      run.meanwhile("audits begin", () => audits(run));
    },
    atEnd: compare,
  },
];

/** Audits by stick, which need no listening authority. */
async function audits(run: Run): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let begun: string | undefined;
  for (let ended = 0; ended < AUDITS; ) {
    if (Date.now() > deadline) throw new Error(`only ${ended} audits ended; the last start: ${begun}`);
    await sleep(PAUSE_MS);
    const url = run.urls[0] ?? "";
    // If the POS already have all their receipts, no sale asks for the PIN after the kill.
    await run.unlock();
    begun = await post(url, "/console/audit/start", { forStick: true });
    const files = await call(url, { method: "GET", path: `/console/audit/files?uid=${UID}` });
    const request = typeof files === "object" && files.status === 200 ? requestIn(files.text) : undefined;
    const proof = request && proofOfAudit(request, KEYS.authorityPrivateKey);
    if (!proof) continue;
    const commandId = `proof-${ended}-${Date.now()}`;
    const command = { commandId, type: 5, payload: Buffer.from(proof).toString("base64"), uid: UID };
    const taken = await post(url, "/console/audit/commands", {
      uid: UID,
      commands: JSON.stringify([command]),
      pin: "1234",
    });
    if (taken?.includes('"success":true')) ended++;
  }
  run.note(`${AUDITS} audits have ended`);
}

async function post(url: string, path: string, body: object): Promise<string | undefined> {
  const headers = { "Content-Type": "application/json" };
  const answer = await call(url, { method: "POST", path, headers, body: JSON.stringify(body) });
  return typeof answer === "object" && answer.status === 200 ? answer.text : undefined;
}

function requestIn(lines: string): Uint8Array | undefined {
  const first = JSON.parse(lines.split("\n")[0] ?? "{}") as { name?: string; base64?: string };
  return first.name?.endsWith(".arp") ? Buffer.from(first.base64 ?? "", "base64") : undefined;
}

/** The card's sum equals what no proof covers, to the last unit. */
async function compare(run: Run): Promise<void> {
  const store = openStore(run.dataDir);
  try {
    const audits = new AuditLedger(new SqliteLedger(store).access);
    const { provenTo } = await audits.progress(UID);
    let sum = 0n;
    for (let entry = await audits.nextSale(UID, provenTo); entry; entry = await audits.nextSale(UID, entry.id)) {
      sum += counted(entry.answer ?? "{}");
    }
    if (sum !== run.slot.sum) run.violations.push(`the card's sum is ${run.slot.sum}, and ${sum} is not proven`);
    run.note(`not proven: ${sum}; proven up to entry ${provenTo}`);
  } finally {
    store.close();
  }
}

function counted(answer: string): bigint {
  const amount = /"totalAmount":([\d.]+)/.exec(answer)?.[1] ?? "0";
  return /"invoiceCounterExtension":"[NA]/.test(answer) ? parseScaled(amount) : 0n;
}
