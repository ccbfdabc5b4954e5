/** Checks reader and card without a PIN, and whether the store lacks sales that the card has signed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseScaled, type Scaled, toDecimalText } from "../fiscal/money.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { contentOf } from "../ledger/receipt-content.js";
import { type EntryAmount, StoreReading } from "../ledger/store-reading.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { type Check, fail, ok, warn } from "./check.js";

const SUBJECT = "card and store";
const AFTER_PIN = "the service compares the counters after the PIN";

export async function checkCard(secureElement: SecureElement): Promise<Check[]> {
  const state = await secureElement.refresh();
  if (state.kind !== "ready") return [fail("card", state.reason)];
  const amount = await secureElement.amountStatus();
  return [
    ok("issuer", state.identity.issuer),
    await checkTries(secureElement),
    ...(amount.kind === "ok" ? [] : [fail("limit", amount.reason)]),
  ];
}

async function checkTries(secureElement: SecureElement): Promise<Check> {
  const tries = await secureElement.pinTriesLeft();
  if (tries.kind === "no-command") return ok("PIN attempts", "this card cannot report them");
  if (tries.kind !== "ok") return fail("PIN attempts", tries.reason);
  if (tries.pinTriesLeft === 0) return fail("PIN attempts", "0 left: the card is locked");
  return tries.pinTriesLeft === 1
    ? warn("PIN attempts", "1 left: one more wrong PIN locks the card for good")
    : ok("PIN attempts", `${tries.pinTriesLeft} left`);
}

/** Compares card and store. It returns no line if one of them cannot be read, because other findings report that. */
export async function checkCardAndStore(secureElement: SecureElement, dataDir: string): Promise<Check[]> {
  const { state } = secureElement;
  const amount = await secureElement.amountStatus();
  if (state.kind !== "ready" || amount.kind !== "ok") return [];
  try {
    return [compared(state.identity.uid, amount.sum, dataDir)];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

function compared(uid: string, sum: Scaled, dataDir: string): Check {
  const message = `the card has signed ${toDecimalText(sum)} since its last audit`;
  const { confirmed, total } = storedOf(uid, sum, dataDir);
  if (confirmed) return ok(SUBJECT, `receipts of this card are elsewhere, as confirmed; ${AFTER_PIN}`);
  if (total >= sum) return ok(SUBJECT, `${message}, and the store has at least as much; ${AFTER_PIN}`);
  return warn(
    SUBJECT,
    `${message}, but the store has only ${toDecimalText(total)}: receipts are elsewhere, or an old backup was restored. Find the missing receipts; ${AFTER_PIN}`,
  );
}

/** Adds up the card's sales in the store. @param enough the sum at which adding up may stop */
function storedOf(uid: string, enough: Scaled, dataDir: string): { confirmed: boolean; total: Scaled } {
  if (!existsSync(join(dataDir, STORE_FILE))) return { confirmed: false, total: 0n };
  return StoreReading.open(dataDir).use((store) => {
    const missing = store.reports().filter((report) => report.uid === uid && report.kind === "behind");
    const confirmed = missing.some(({ confirmedAt }) => confirmedAt !== null);
    let total = 0n;
    for (const entry of store.amounts(uid)) {
      if (total >= enough) break;
      total += amountOf(entry);
    }
    return { confirmed, total };
  });
}

/**
 * The amount of an entry. Every kind of sale counts, also kinds that the card may not count, so that a shortfall is
 * certain.
 * @throws StoreError
 */
function amountOf({ totalAmount, intent }: EntryAmount): Scaled {
  if (totalAmount === null && intent === null) return 0n;
  try {
    const total = totalAmount === null ? contentOf({ intent, answer: null })?.total : parseScaled(totalAmount);
    if (total !== undefined) return total;
  } catch (error) {
    throw new StoreError("an entry is damaged", { cause: error });
  }
  throw new StoreError("an entry is damaged");
}
