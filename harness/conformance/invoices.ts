/** Makes the invoices of the suite. Their type is Training, unless a flag allows other types. */
import type { EpochMs } from "../../src/base/epoch-ms.js";
import { normaliseLabel, rateGroupAt, type TaxRateGroup } from "../../src/fiscal/tax.js";

export type InvoiceBody = Readonly<Record<string, unknown>>;

const item = (name: string, labels: readonly string[], totalAmount: number, quantity = 1) => ({
  name,
  labels,
  totalAmount,
  quantity,
  unitPrice: Math.round((totalAmount / quantity) * 100) / 100,
});

/** Amounts whose tax has to be rounded. */
const AMOUNTS = [68.46, 100, 730, 21.1, 12.99, 7000, 0.01];

/** The largest number of labels in one invoice. No known environment has as many labels. */
const MOST_LABELS = 40;

export type Samples = NonNullable<ReturnType<typeof samplesFor>>;

/** Makes the invoices for the service's rates. @param now the service's own time @returns undefined without rates */
export function samplesFor(rates: readonly TaxRateGroup[], now: EpochMs) {
  const group = rateGroupAt(rates, now) ?? rates[0];
  const categories = group?.taxCategories.filter(({ taxRates }) => taxRates.length > 0) ?? [];
  const labels = categories.flatMap(({ taxRates }) => taxRates.map(({ label }) => label)).slice(0, MOST_LABELS);
  const [first] = labels;
  if (first === undefined) return undefined;
  const known = new Set(labels.map(normaliseLabel));
  const oneOfEachType = [0, 1, 2].flatMap(
    (type) => categories.find(({ categoryType }) => categoryType === type)?.taxRates[0]?.label ?? [],
  );
  const base = { cashier: "Ana", invoiceType: "Training", transactionType: "Sale" };
  const paid = (amount: number) => [{ amount, paymentType: "Cash" }];
  return {
    plain: { ...base, payment: paid(100), items: [item("Coffee", [first], 100)] },
    everyLabel: {
      ...base,
      payment: paid(8000),
      items: labels.flatMap((label, i) => [
        item(`Goods with ${label}`, [label], AMOUNTS[i % AMOUNTS.length] ?? 1),
        item(`More goods with ${label}`, [label], AMOUNTS[(i + 3) % AMOUNTS.length] ?? 1, 3),
      ]),
    },
    /** An item with labels of categories of several types; undefined if the rates have one type only. */
    mixedLabels:
      oneOfEachType.length > 1
        ? { ...base, payment: paid(110), items: [item("Goods with several taxes", oneOfEachType, 110, 2)] }
        : undefined,
    full: {
      ...base,
      cashier: "Ђорђе Чоловић",
      buyerId: "10:123456789",
      buyerCostCenterId: "20:4711",
      invoiceNumber: "POS2026/998",
      dateAndTimeOfIssue: new Date(now).toISOString(),
      payment: [
        { amount: 50, paymentType: "Voucher" },
        { amount: 73.4, paymentType: "WireTransfer" },
      ],
      items: [
        { ...item("Čokolada sa lešnikom, šećer i žito – Љубичица & <ђаци>", [first], 123.4), gtin: "8601234567897" },
      ],
    },
    unknownLabel: ["ZZ", "QQ", "XX"].find((label) => !known.has(label)) ?? "ZZZZ",
  };
}
