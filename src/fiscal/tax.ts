/** Computes the taxes of an invoice (protocol facts, section 5). Prices include tax. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { InvoiceItem } from "./invoice.js";
import { divideHalfUp, multiply, type Scaled } from "./money.js";

/** How the tax of a category is computed: 0 tax on net, 1 tax on total, 2 amount per quantity. */
export type CategoryType = 0 | 1 | 2;

/** Names of the category types, in the order of their numbers. */
export const CATEGORY_TYPES = ["TaxOnNet", "TaxOnTotal", "AmountPerQuantity"] as const;

export interface TaxCategory<Rate = Scaled> {
  readonly name: string;
  readonly categoryType: CategoryType;
  /** Number of the category on the card, 1 to 255. */
  readonly orderId: number;
  /** A rate is in percent, or an amount for each unit if the category has type 2. */
  readonly taxRates: readonly { readonly label: string; readonly rate: Rate }[];
}

export interface TaxRateGroup {
  /** Number of the group, which is `taxGroupRevision` in the answer. */
  readonly groupId: number;
  readonly validFrom: EpochMs;
  readonly taxCategories: readonly TaxCategory[];
  /** When a file's group is chosen: from its coming until the tax authority sent rates. Others: at any time. */
  readonly chosen?: { readonly from: number; readonly until: number };
}

/** Tax of one label over the whole invoice. */
export interface TaxItem {
  readonly categoryType: CategoryType;
  readonly categoryName: string;
  readonly orderId: number;
  readonly label: string;
  readonly rate: Scaled;
  readonly amount: Scaled;
}

/** Tax of one category over the whole invoice. The card signs this amount. */
export type CategoryTax = Pick<TaxItem, "orderId" | "amount">;

const HUNDRED_PERCENT = 1_000_000n;

/** Returns a label in upper case, because labels are compared in upper case (protocol facts, section 4). */
export function normaliseLabel(label: string): string {
  return label.trim().toUpperCase();
}

/**
 * Returns the group that is valid at a time (ms); undefined if the time is before the first group. In the time in which
 * a file's groups were chosen, they come first: receipts of that time have their rates.
 */
export function rateGroupAt(groups: readonly TaxRateGroup[], time: number): TaxRateGroup | undefined {
  const valid = groups.filter(({ validFrom }) => validFrom <= time);
  const of = [valid.filter((group) => isOfThen(group, time)), valid.filter(({ chosen }) => !chosen), valid];
  return of
    .find(({ length }) => length > 0)
    ?.reduce((last, group) => (group.validFrom >= last.validFrom ? group : last));
}

/** Whether a file's group was chosen at a time until the tax authority itself sent rates. */
function isOfThen({ chosen }: TaxRateGroup, time: number): boolean {
  return chosen !== undefined && chosen.from <= time && time < chosen.until;
}

/** Returns the groups that can be chosen at a time (ms) or later. */
export function chosenFrom(groups: readonly TaxRateGroup[], time: number): readonly TaxRateGroup[] {
  return groups.filter(({ chosen }) => !chosen || time < chosen.until);
}

/**
 * Returns the group with a number, with which a receipt was signed at a time (ms). A group of the authority may have the
 * number that an earlier group of a file had.
 */
export function groupOfReceipt(groups: readonly TaxRateGroup[], id: number, time: number): TaxRateGroup | undefined {
  const all = groups.filter(({ groupId }) => groupId === id);
  return all.find((group) => isOfThen(group, time)) ?? all.find(({ chosen }) => !chosen) ?? all[0];
}

interface LabelledRate {
  readonly category: TaxCategory;
  readonly rate: TaxCategory["taxRates"][number];
}

/** Labels of each group, kept because each sale asks for them twice and a group never changes. */
const known = new WeakMap<TaxRateGroup, ReadonlyMap<string, LabelledRate>>();

/** Returns the labels of a group in upper case, in the order of categories and rates. */
export function labelsOf(group: TaxRateGroup): ReadonlyMap<string, LabelledRate> {
  const labels = known.get(group) ?? labelsIn(group);
  known.set(group, labels);
  return labels;
}

function labelsIn(group: TaxRateGroup): ReadonlyMap<string, LabelledRate> {
  const labels = new Map<string, LabelledRate>();
  for (const category of [...group.taxCategories].sort((a, b) => a.orderId - b.orderId)) {
    for (const rate of category.taxRates) labels.set(normaliseLabel(rate.label), { category, rate });
  }
  return labels;
}

/** Returns the tax of each label of one item, computed in the three steps of protocol facts, section 5. */
function taxOfItem(item: InvoiceItem, labels: ReadonlyMap<string, LabelledRate>): Map<string, Scaled> {
  const rates = [...new Set(item.labels.map(normaliseLabel))].map((label) => {
    const rate = labels.get(label);
    if (!rate) throw new RangeError(`label ${label} is not in the tax rate group`);
    return rate;
  });
  const taxes = new Map<string, Scaled>();
  let base = item.totalAmount;

  for (const { category, rate } of rates) {
    if (category.categoryType !== 2) continue;
    const tax = multiply(rate.rate, item.quantity);
    taxes.set(normaliseLabel(rate.label), tax);
    base -= tax;
  }
  for (const type of [1, 0] as const) {
    const ofType = rates.filter(({ category }) => category.categoryType === type);
    const sum = ofType.reduce((total, { rate }) => total + rate.rate, 0n);
    let taken = 0n;
    for (const { rate } of ofType) {
      const tax = divideHalfUp(base * rate.rate, HUNDRED_PERCENT + sum);
      taxes.set(normaliseLabel(rate.label), tax);
      taken += tax;
    }
    base -= taken;
  }
  return taxes;
}

/** Returns the tax of each label over all items, in the order of the group. @throws RangeError for an unknown label */
export function taxItems(items: readonly InvoiceItem[], group: TaxRateGroup): TaxItem[] {
  const labels = labelsOf(group);
  const sums = new Map<string, Scaled>();
  for (const item of items) {
    for (const [label, tax] of taxOfItem(item, labels)) sums.set(label, (sums.get(label) ?? 0n) + tax);
  }
  const result: TaxItem[] = [];
  for (const [label, { category, rate }] of labels) {
    const amount = sums.get(label);
    if (amount === undefined) continue;
    result.push({
      categoryType: category.categoryType,
      categoryName: category.name,
      orderId: category.orderId,
      label,
      rate: rate.rate,
      amount,
    });
  }
  return result;
}

/** Returns the tax of each category, in the form that the card takes (protocol facts, section 2, offset 58). */
export function categoryTaxes(items: readonly TaxItem[]): CategoryTax[] {
  const sums = new Map<number, Scaled>();
  for (const { orderId, amount } of items) sums.set(orderId, (sums.get(orderId) ?? 0n) + amount);
  return [...sums].map(([orderId, amount]) => ({ orderId, amount }));
}
