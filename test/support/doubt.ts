/** A till with a sale in doubt. */
import { expect } from "vitest";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { makeCard, readerWith } from "./emulated-card.js";
import { openTill, sale, type Till, type TillOptions } from "./till.js";

/** Profile of a card without the command for its last invoice. */
export const WITHOUT_INS_15 = { profile: { lastSignedInvoice: false } };

/** A till whose card was pulled out before or after it signed the sale with the RequestId order-1. */
export async function tillInDoubt(
  moment: "before" | "after",
  { card, ...options }: TillOptions = {},
  invoice: object = sale(),
): Promise<Till> {
  let pulls = true;
  const reader = readerWith(async (command, run) => {
    if (command[1] !== INS.sign || !pulls) return run();
    pulls = false;
    const answer = moment === "after" ? await run() : Buffer.from("6F00", "hex");
    reader.remove();
    return answer;
  });
  const inserted = card ?? makeCard(options.profile);
  reader.insert(inserted);
  const till = await openTill({ ...options, card: inserted, reader });
  expect((await till.sell(invoice, { RequestId: "order-1" })).status).not.toBe(200);
  return till;
}
