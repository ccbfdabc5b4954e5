/** Receipts that other services have printed, each with its request (recorded-receipts.json). */
import { readFileSync } from "node:fs";

export interface RecordedReceipt {
  readonly name: string;
  readonly rates: readonly object[];
  readonly languages?: readonly string[];
  readonly country: string;
  readonly timeZone: string;
  readonly language: string;
  readonly uid: string;
  readonly total: number;
  readonly pair: number;
  readonly at: string;
  readonly taxpayer: Readonly<Record<string, string>>;
  readonly request: { readonly invoiceType: string; readonly transactionType: string };
  readonly journal: readonly string[];
  /** If the online service signed: the beginning of the number, and what a device would print. */
  readonly server?: readonly [string, string];
  readonly answer?: Readonly<Record<string, string>>;
}

export const RECORDED_RECEIPTS = JSON.parse(
  readFileSync(new URL("recorded-receipts.json", import.meta.url), "utf8"),
) as readonly RecordedReceipt[];

export function recordedReceipt(name: string): RecordedReceipt {
  const receipt = RECORDED_RECEIPTS.find((one) => one.name === name);
  if (!receipt) throw new Error(`there is no recorded receipt ${name}`);
  return receipt;
}
