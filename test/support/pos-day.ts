/** A day in which a POS shows everything that an approval asks, and the situations that it must survive. */
import { drivenSituations } from "../../harness/scenario/shipped.js";
import { PAYMENT_TYPES } from "../../src/fiscal/invoice.js";
import type { Pos } from "./pos.js";

const item = (quantity: number, unitPrice: number, totalAmount: number, fields = {}) => {
  return { name: "Milk /l", quantity, unitPrice, totalAmount, labels: ["A"], ...fields };
};
const paid = (...types: string[]) => ({ payment: types.map((paymentType) => ({ amount: 10, paymentType })) });
const BUYER = { buyerId: "10:100000002" };
const ADVANCE = { invoiceType: "Advance", items: [item(1, 100, 100, { name: "10: Advance /pc" })] };
const WEEK_MS = 604_800_000;

/** @param time of the emulated clock, ms */
export async function wholeDay(pos: Pos, time = Date.now()): Promise<void> {
  await pos.start();
  await pos.sell({ items: [item(1, 5.1, 5.1, { gtin: "4006381333931" }), item(1, 10, 8, { labels: ["B"] })] });
  await pos.sell({ items: [item(10.267, 1, 10.27), item(20.143, 1, 20.14)] });
  await pos.sell({ items: [item(0.123, 9.9, 1.22), item(0.123, 9.95, 1.22)] });
  await pos.sell(paid(...Object.keys(PAYMENT_TYPES)));
  await pos.sell(paid("Card", "Card"));
  await pos.sell({ ...BUYER, buyerCostCenterId: "20:7" });
  await pos.sell({ ...BUYER, buyerCostCenterId: "50:7", ...paid("Voucher") });
  await advance(pos, time);
  await cancelAndRefund(pos);
  await samples(pos);
}

async function advance(pos: Pos, time: number): Promise<void> {
  const first = await pos.sell({ ...ADVANCE, dateAndTimeOfIssue: new Date(time - WEEK_MS).toISOString() });
  const second = first && (await pos.about(first, ADVANCE));
  const back = { items: [item(2, 100, 200, { name: "10: Advance /pc" })], transactionType: "Refund" };
  const refund = second && (await pos.about(second, { ...ADVANCE, ...back }));
  if (refund) await pos.about(refund, {});
}

async function cancelAndRefund(pos: Pos): Promise<void> {
  const wrong = await pos.sell();
  if (!wrong) return;
  await pos.about(wrong, { transactionType: "Refund", buyerId: `10:${wrong.tin}` });
  const right = await pos.sell();
  const refund = right && (await pos.about(right, { transactionType: "Refund" }));
  if (refund) await pos.about(refund, { invoiceType: "Copy", transactionType: "Refund" });
}

async function samples(pos: Pos): Promise<void> {
  for (const buyer of [BUYER, {}]) {
    const sale = await pos.sell(buyer);
    for (const invoiceType of ["Normal", "Proforma", "Copy", "Training", "Advance"]) {
      const type = { invoiceType, ...buyer };
      const one = invoiceType === "Copy" && sale ? await pos.about(sale, type) : await pos.sell(type);
      if (one && buyer === BUYER) await pos.about(one, { ...type, transactionType: "Refund" });
    }
  }
}

/** @param put puts a situation of the guide */
export async function hardDay(pos: Pos, put: (name: string) => Promise<unknown>): Promise<void> {
  for (const { name } of drivenSituations()) {
    await put(name);
    if (!(await pos.sell({ cashier: `Ana, ${name}` }))) await pos.finish();
  }
}
