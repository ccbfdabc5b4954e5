/** Products of quantity and price, exactly: a quantity has up to three decimals, a price up to four. */
import type { SentItem } from "./session.js";

const QUANTITY = 1_000n;
const PRICE = 10_000n;
const PARTS_OF_A_CENT = (QUANTITY * PRICE) / 100n;

const scaled = (value: number, scale: bigint): bigint => BigInt(Math.round(value * Number(scale)));

function exactProduct({ quantity, unitPrice }: SentItem): bigint {
  return scaled(quantity, QUANTITY) * scaled(unitPrice, PRICE);
}

/** Quantity times price in minor units, rounded half up. */
export function roundedProduct(item: SentItem): number {
  const product = exactProduct(item);
  const half = product < 0n ? -PARTS_OF_A_CENT / 2n : PARTS_OF_A_CENT / 2n;
  return Number((product + half) / PARTS_OF_A_CENT);
}

/** Whether the product has more decimals than money has. */
export function needsRounding(item: SentItem): boolean {
  return exactProduct(item) % PARTS_OF_A_CENT !== 0n;
}

/** The amount in minor units. */
export const minorUnits = (amount: number): number => Math.round(amount * 100);
