/** Computes products of quantity and price exactly. A quantity has up to three decimals, a price up to four. */
import type { SentItem } from "./session.js";

const QUANTITY = 1_000n;
const PRICE = 10_000n;
const PARTS_OF_A_CENT = (QUANTITY * PRICE) / 100n;

const scaled = (value: number, scale: bigint): bigint => BigInt(Math.round(value * Number(scale)));

function exactProduct({ quantity, unitPrice }: SentItem): bigint {
  return scaled(quantity, QUANTITY) * scaled(unitPrice, PRICE);
}

/** Returns quantity times price in minor units, rounded half up. */
export function roundedProduct(item: SentItem): number {
  const product = exactProduct(item);
  const half = product < 0n ? -PARTS_OF_A_CENT / 2n : PARTS_OF_A_CENT / 2n;
  return Number((product + half) / PARTS_OF_A_CENT);
}

/** Whether the product of quantity and price has more decimals than an amount of money. */
export function needsRounding(item: SentItem): boolean {
  return exactProduct(item) % PARTS_OF_A_CENT !== 0n;
}

/** Converts an amount to minor units. */
export const minorUnits = (amount: number): number => Math.round(amount * 100);
