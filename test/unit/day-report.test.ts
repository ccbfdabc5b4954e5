/** The arithmetic of the day report agrees with what a bookkeeper adds up by hand. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Balance, type DayReport, DayReportSums, type SoldReceipt } from "../../src/fiscal/day-report.js";
import { INVOICE_TYPE_NAMES, type PaymentType } from "../../src/fiscal/invoice.js";
import { roundTo, type Scaled } from "../../src/fiscal/money.js";

const DAYS = ["2026-11-20", "2026-11-21", "2026-11-22"] as const;
const RATES = { A: 90_000n, Ж: 190_000n, N: 0n } as const;

const receipts = fc.array(
  fc.record({
    day: fc.constantFrom(...DAYS),
    number: fc.uuid(),
    invoiceType: fc.constantFrom(...INVOICE_TYPE_NAMES),
    transactionType: fc.constantFrom("Sale" as const, "Refund" as const),
    cashier: fc.constantFrom("Ana", "Бора", undefined),
    prices: fc.array(fc.tuple(fc.constantFrom("A", "Ж", "N"), fc.bigInt({ min: 0n, max: 10n ** 12n })), {
      minLength: 1,
      maxLength: 4,
    }),
    paid: fc.array(fc.tuple(fc.constantFrom<PaymentType>("Cash", "Card"), fc.bigInt({ min: 0n, max: 10n ** 12n })), {
      maxLength: 2,
    }),
    adopted: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  { maxLength: 30 },
);

type Drawn = typeof receipts extends fc.Arbitrary<readonly (infer R)[]> ? R : never;

function receiptOf({ prices, paid, adopted, ...rest }: Drawn): SoldReceipt {
  const cents = (amount: Scaled) => amount - (amount % 100n);
  const items = prices.map(([label, price]) => ({ labels: [label], totalAmount: cents(price) }));
  const labels = [...new Set(prices.map(([label]) => label))];
  const taxItems = labels.map((label) => ({
    label,
    categoryName: "VAT",
    categoryType: 0 as const,
    orderId: 1,
    rate: RATES[label as keyof typeof RATES],
    // This is no realistic tax, but it has four decimals.
    amount: items.filter((item) => item.labels.includes(label)).reduce((sum, item) => sum + item.totalAmount / 7n, 0n),
  }));
  const payment = paid.map(([paymentType, amount]) => ({ paymentType, amount }));
  const total = items.reduce((sum, { totalAmount }) => sum + totalAmount, 0n);
  return { ...rest, hour: prices.length, total, sold: adopted ? undefined : { items, taxItems, payment } };
}

function reportOf(all: readonly SoldReceipt[]): DayReport {
  const sums = new DayReportSums();
  for (const receipt of all) sums.add(receipt);
  return sums.report();
}

const isFiscal = ({ invoiceType }: SoldReceipt) => invoiceType === "Normal" || invoiceType === "Advance";
const sumOf = <T>(all: readonly T[], value: (one: T) => bigint) => all.reduce((sum, one) => sum + value(one), 0n);
const added = (all: readonly Balance[]) => ({
  receipts: all.reduce((sum, one) => sum + one.receipts, 0),
  sales: sumOf(all, ({ sales }) => sales.amount),
  refunds: sumOf(all, ({ refunds }) => refunds.amount),
  tax: sumOf(all, ({ difference }) => difference.tax),
});

const holds = (property: (all: SoldReceipt[], report: DayReport) => void) =>
  fc.assert(
    fc.property(receipts, (drawn) => {
      const all = drawn.map(receiptOf);
      property(all, reportOf(all));
    }),
  );

it("a report of a period is the sum of its days, and the sum of its cashiers", () =>
  holds((all, { total, days, cashiers }) => {
    expect(added(days)).toEqual(added([total]));
    expect(added(cashiers)).toEqual(added([total]));
    for (const { day, ...balance } of days) {
      expect(balance).toEqual(reportOf(all.filter((receipt) => receipt.day === day)).total);
    }
  }));

it("a report of a period subtracts refunds from sales and nothing else", () =>
  holds((all, { total, labels, kinds }) => {
    const amount = (kind: string) =>
      sumOf(
        all.filter((receipt) => isFiscal(receipt) && receipt.transactionType === kind),
        (receipt) => receipt.total,
      );
    expect(total.sales.amount).toBe(amount("Sale"));
    expect(total.refunds.amount).toBe(amount("Refund"));
    for (const { sales, refunds, difference } of [total, ...labels]) {
      expect(difference).toEqual({ amount: sales.amount - refunds.amount, tax: sales.tax - refunds.tax });
    }
    expect(sumOf(kinds, (kind) => kind.amount)).toBe(total.difference.amount);
  }));

it("a report of a period has the taxes that the receipts print, by label and in total", () =>
  holds((all, { total, labels, kinds }) => {
    const printed = (label?: string) =>
      sumOf(all.filter(isFiscal), ({ transactionType, sold }) => {
        const taxes = sold?.taxItems.filter((tax) => label === undefined || tax.label === label) ?? [];
        return sumOf(taxes, ({ amount }) => roundTo(amount, 2)) * (transactionType === "Refund" ? -1n : 1n);
      });
    expect(total.difference.tax).toBe(printed());
    for (const { label, difference } of labels) expect(difference.tax).toBe(printed(label));
    expect(sumOf(labels, ({ difference }) => difference.tax)).toBe(total.difference.tax);
    expect(sumOf(kinds, ({ tax }) => tax)).toBe(total.difference.tax);
  }));

it("a report of a period accounts for all money: payments minus change plus what is unpaid is the total", () =>
  holds((_, { total, payments }) => {
    expect(sumOf(payments, ({ sales }) => sales)).toBe(total.sales.amount);
    expect(sumOf(payments, ({ refunds }) => refunds)).toBe(total.refunds.amount);
    expect(sumOf(payments, ({ difference }) => difference)).toBe(total.difference.amount);
  }));

it("a report of a period leaves out Copy, Proforma and Training", () =>
  holds((all, report) => {
    const { first, last, apart, ...fiscal } = report;
    const { first: _, last: __, apart: none, ...alone } = reportOf(all.filter(isFiscal));
    expect(fiscal).toEqual(alone);
    expect(none).toEqual([]);
    expect(apart.reduce((sum, { receipts: count }) => sum + count, 0)).toBe(all.filter((one) => !isFiscal(one)).length);
    expect([first, last]).toEqual([all[0]?.number ?? null, all.at(-1)?.number ?? null]);
  }));

it("a report of a period counts receipts that only the card knows, without their taxes", () =>
  holds((all, { withoutItems }) => {
    expect(withoutItems).toBe(all.filter((one) => isFiscal(one) && !one.sold).length);
  }));

it("a label whose rate has changed in the period appears once for each rate", () => {
  const sale = (rate: Scaled, amount: Scaled): SoldReceipt => ({
    day: DAYS[0],
    hour: 9,
    number: "1",
    invoiceType: "Normal",
    transactionType: "Sale",
    total: 1_000_000n,
    cashier: undefined,
    sold: {
      items: [{ labels: ["A"], totalAmount: 1_000_000n }],
      taxItems: [{ label: "A", categoryName: "VAT", categoryType: 0, orderId: 1, rate, amount }],
      payment: [{ paymentType: "Cash", amount: 1_000_000n }],
    },
  });
  const { labels } = reportOf([sale(90_000n, 82_569n), sale(100_000n, 90_909n)]);
  expect(labels.map(({ rate, difference }) => [rate, difference.tax])).toEqual([
    [100_000n, 90_900n],
    [90_000n, 82_600n],
  ]);
});
