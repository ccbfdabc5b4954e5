import fc from "fast-check";
import { expect, it } from "vitest";
import { parseScaled, toFixed } from "../../src/fiscal/money.js";
import { categoryTaxes, rateGroupAt, type TaxRateGroup, taxItems } from "../../src/fiscal/tax.js";
import { item, SANDBOX } from "../support/invoices.js";

const [group] = SANDBOX.taxRates;
if (!group) throw new Error("no rates");

function single(rate: string): TaxRateGroup {
  return {
    groupId: 1,
    validFrom: 0,
    taxCategories: [{ name: "VAT", categoryType: 0, orderId: 1, taxRates: [{ label: "A", rate: parseScaled(rate) }] }],
  };
}

it.each([
  ["68.46", "9", "5.6527"],
  ["100", "11", "9.9099"],
  ["730", "11", "72.3423"],
  ["21.10", "9", "1.7422"],
  ["7000", "20", "1166.6667"],
  ["12.99", "20", "2.1650"],
])("taxes of %s at %s %% are %s, as on real receipts", (total, rate, tax) => {
  const [first] = taxItems([item(total, "A")], single(rate));
  expect(first && toFixed(first.amount, 4)).toBe(tax);
});

it("taxes are taken per quantity first, then from the total, then from the net", () => {
  // P 0.50 a piece, T 2 % on the total, A 9 % on the net.
  const bottles = { ...item("100", "A", "T", "P"), quantity: 30_000n };
  const taxes = taxItems([bottles], group).map(({ label, amount }) => [label, toFixed(amount, 4)]);
  // 100 - 1.50 = 98.50; 98.50 · 2 / 102 = 1.9314; (98.50 - 1.9314) · 9 / 109 = 7.9736
  expect(Object.fromEntries(taxes)).toEqual({ P: "1.5000", T: "1.9314", A: "7.9736" });
});

it("taxes split the net among several labels", () => {
  const taxes = taxItems([item("126", "A", "F", "E")], group);
  expect(taxes.map(({ label, amount }) => `${label} ${toFixed(amount, 4)}`)).toEqual([
    "F 11.0000",
    "E 6.0000",
    "A 9.0000",
  ]);
});

it("taxes count a label once per item, and keep a label of zero per cent", () => {
  expect(taxItems([item("109", "A", "A")], group)).toHaveLength(1);
  expect(taxItems([item("100", "N")], group)).toMatchObject([{ label: "N", amount: 0n }]);
});

it("taxes accept Cyrillic labels and labels in lower case", () => {
  expect(taxItems([item("119", "ж")], group)).toMatchObject([{ label: "Ж", amount: 190_000n, orderId: 6 }]);
});

it("taxes add up equally per label and per category, in any order of the items", () => {
  const labels = ["F", "N", "P", "E", "T", "A", "B", "Ж", "C"];
  const items = fc.array(
    fc.record({ total: fc.bigInt({ min: 0n, max: 10n ** 13n }), labels: fc.subarray(labels, { minLength: 1 }) }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(items, (drawn) => {
      const list = drawn.map(({ total, labels }) => ({ ...item("0", ...labels), totalAmount: total }));
      const taxes = taxItems(list, group);
      expect(taxItems([...list].reverse(), group)).toEqual(taxes);
      const sum = (amounts: { amount: bigint }[]) => amounts.reduce((total, { amount }) => total + amount, 0n);
      expect(sum(categoryTaxes(taxes))).toBe(sum(taxes));
    }),
  );
});

it("taxes never exceed the price when there is no tax per quantity", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 13n }),
      fc.subarray(["F", "E", "T", "A"], { minLength: 1 }),
      (total, labels) => {
        const taxes = taxItems([{ ...item("0", ...labels), totalAmount: total }], group);
        const sum = taxes.reduce((all, { amount }) => all + amount, 0n);
        expect(sum >= 0n && sum <= total).toBe(true);
      },
    ),
  );
});

it("taxes come from the newest group whose validFrom has passed", () => {
  const at = (validFrom: number, groupId: number) => ({ ...single("1"), validFrom, groupId });
  const groups = [at(200, 2), at(100, 1), at(300, 3)];
  expect([99, 100, 250, 300].map((time) => rateGroupAt(groups, time)?.groupId)).toEqual([undefined, 1, 2, 3]);
});
