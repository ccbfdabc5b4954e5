import fc from "fast-check";
import { expect, it } from "vitest";
import {
  INVOICE_TYPE_NAMES,
  type InvoiceItem,
  PAYMENT_TYPES,
  type PaymentType,
  type SoldInvoice,
  type Taxpayer,
  TRANSACTION_TYPE_NAMES,
} from "../../src/fiscal/invoice.js";
import { JOURNAL_HEADERS, type JournalHeader, journal } from "../../src/fiscal/journal/journal.js";
import { type ReceiptForm, widthOf } from "../../src/fiscal/journal/layout.js";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../../src/fiscal/language.js";
import { taxItems } from "../../src/fiscal/tax.js";
import { invoice, item, SANDBOX } from "../support/invoices.js";

const TAXPAYER = {
  tin: "RS100000001",
  businessName: "Firma",
  locationName: "Radnja",
  address: "Ulica 1",
  district: "Beograd",
};

interface Printed {
  readonly language?: ReceiptLanguage;
  readonly header?: JournalHeader;
  readonly taxpayer?: Partial<Taxpayer>;
  readonly invoiceNumber?: string;
  readonly form?: ReceiptForm;
  readonly sdcTime?: number;
  readonly isOnline?: boolean;
}

function print(overrides: Partial<SoldInvoice> = {}, printed: ReceiptLanguage | Printed = {}): string {
  const given: Printed = typeof printed === "string" ? { language: printed } : printed;
  const { language = "en-US", header = "left", taxpayer, invoiceNumber = "TESTCARD-TESTCARD-1", form } = given;
  const [group] = SANDBOX.taxRates;
  const subject = invoice(overrides);
  return journal({
    invoice: subject,
    taxpayer: { ...TAXPAYER, ...taxpayer },
    taxItems: group ? taxItems(subject.items, group) : [],
    sdcTime: given.sdcTime ?? Date.UTC(2023, 5, 6, 11, 21, 15),
    invoiceNumber,
    invoiceCounter: "1/1NS",
    language,
    timeZone: "Europe/Belgrade",
    header,
    isOnline: given.isOnline ?? false,
    form,
  });
}

const linesOf = (text: string) => text.split("\r\n").slice(0, -1);

/** Texts that a POS may send. */
const TEXT = fc
  .string({ unit: "binary", minLength: 1, maxLength: 110, size: "max" })
  .filter((drawn) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(drawn));
const MONEY = fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }).map((cents) => cents * 100n);

const ITEM: fc.Arbitrary<InvoiceItem> = fc.record({
  name: TEXT,
  quantity: fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }).map((thousandths) => thousandths * 10n),
  unitPrice: MONEY,
  totalAmount: MONEY,
  labels: fc.subarray(["F", "N", "P", "T", "A", "Ж"], { minLength: 1 }),
});

const INVOICE: fc.Arbitrary<Partial<SoldInvoice>> = fc.record(
  {
    cashier: TEXT,
    invoiceNumber: TEXT,
    dateAndTimeOfIssue: fc.constant({ printed: "2026-07-01T12:00:00", instant: 0 }),
    items: fc.array(ITEM, { minLength: 1, maxLength: 4 }),
    payment: fc.array(
      fc.record({ amount: MONEY, paymentType: fc.constantFrom(...(Object.keys(PAYMENT_TYPES) as PaymentType[])) }),
    ),
  },
  { requiredKeys: ["items"] },
);

const PRINTED = fc.record({
  header: fc.constantFrom(...JOURNAL_HEADERS),
  taxpayer: fc.record({ businessName: TEXT, address: TEXT }),
});

const PAIRS = INVOICE_TYPE_NAMES.flatMap((invoiceType) =>
  TRANSACTION_TYPE_NAMES.map((transactionType) => ({ invoiceType, transactionType })),
);

function everyPrint(check: (text: string, overrides: Partial<SoldInvoice>, printed: Printed) => void): void {
  const prints = PAIRS.flatMap((types) => RECEIPT_LANGUAGES.map((language) => ({ types, language })));
  fc.assert(
    fc.property(INVOICE, PRINTED, (drawn, form) => {
      for (const { types, language } of prints) {
        const overrides = { ...drawn, ...types };
        const printed = { ...form, language };
        check(print(overrides, printed), overrides, printed);
      }
    }),
    { numRuns: 20 },
  );
}

/** A number at the end of a line that leaves no space in front of it. */
const NO_ROOM = /\S -?\d{1,3}([.,]\d{3})*[.,]\d\d$/;

it("a journal has 40 columns, except left-aligned taxpayer lines and numbers that need more room", () => {
  everyPrint((text, _overrides, { header, taxpayer }) => {
    expect(text.endsWith("\r\n")).toBe(true);
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    const lines = linesOf(text);
    if (header === "left") expect(lines.splice(1, 5)).toEqual(Object.values({ ...TAXPAYER, ...taxpayer }));
    expect(lines.filter((line) => widthOf(line) > 40 && !NO_ROOM.test(line))).toEqual([]);
  });
});

it("a journal has 38 columns in Republika Srpska, except in English", () => {
  everyPrint((_text, overrides, printed) => {
    const lines = linesOf(print(overrides, { ...printed, form: { columns: 38 } }));
    const columns = printed.language === "en-US" ? 40 : 38;
    if (printed.header === "left") lines.splice(1, 5);
    expect(lines.filter((line) => widthOf(line) > columns && !NO_ROOM.test(line))).toEqual([]);
    expect(new Set(lines.filter((line) => /^(=+|-+)$/.test(line)).map(widthOf))).toEqual(new Set([columns]));
  });
});

it("a journal prints every name and number of its items completely", () => {
  everyPrint((text, { items = [], transactionType }, { language }) => {
    const value = (printed = "") =>
      Number(language === "en-US" ? printed.replaceAll(",", "") : printed.replaceAll(".", "").replace(",", "."));
    const lines = linesOf(text);
    const sign = transactionType === "Refund" ? -1 : 1;
    let at = lines.indexOf("=".repeat(40)) + 2;
    for (const { name, labels, unitPrice, quantity, totalAmount } of items) {
      const full = `${name} (${labels.join(", ")})`;
      const height = Math.ceil(widthOf(full) / 40);
      expect(lines.slice(at, at + height).join("")).toBe(full + " ".repeat(40 * height - widthOf(full)));
      const numbers = (lines[at + height] ?? "").trim().split(/ +/).map(value);
      expect(numbers).toEqual(
        [unitPrice, quantity, totalAmount].map((n, i) => (Number(n) / 10_000) * (i === 2 ? sign : 1) + 0),
      );
      at += height + 1;
    }
    expect(lines[at]).toBe("-".repeat(40));
  });
});

it.each(PAIRS)("a journal of a $invoiceType $transactionType names its type", (types) => {
  const lines = linesOf(print(types, "sr-Cyrl-RS"));
  const fiscal = types.invoiceType === "Normal" || types.invoiceType === "Advance";
  const notFiscal = "======== ОВО НИЈЕ ФИСКАЛНИ РАЧУН =======";
  expect(lines[0]).toBe(fiscal ? "============ ФИСКАЛНИ РАЧУН ============" : notFiscal);
  expect(lines.at(-1)).toBe(fiscal ? "======== КРАЈ ФИСКАЛНОГ РАЧУНА =========" : notFiscal);
  const body = `        ОВО НИЈЕ ФИСКАЛНИ РАЧУН${" ".repeat(9)}`;
  expect(lines.includes(body)).toBe(!fiscal);
  if (!fiscal) expect(lines[lines.indexOf(body) + 1]).toBe("=".repeat(40));
  const refund = types.transactionType === "Refund";
  expect(lines).toContain(`${refund ? "Укупна рефундација:" : "Укупан износ:"}${"100,00".padStart(refund ? 21 : 27)}`);
  expect(lines).toContain(`       100,00          1${(refund ? "-100,00" : "100,00").padStart(16)}`);
});

it("a journal centres the line of types with the smaller half on the left", () => {
  const typeLine = (types: Partial<SoldInvoice>) =>
    linesOf(print(types, "sr-Cyrl-RS")).find((line) => line.startsWith("--"));
  expect(typeLine({})).toBe("-------------ПРОМЕТ ПРОДАЈА-------------");
  expect(typeLine({ invoiceType: "Proforma" })).toBe("-----------ПРЕДРАЧУН ПРОДАЈА------------");
});

it("a journal prints a total tax that equals the sum of the printed taxes", () => {
  const lines = linesOf(print({ items: [item("12.99", "A"), item("12.99", "F"), item("12.99", "Ж")] }));
  const printed = lines.filter((line) => /^[AFЖ] /.test(line)).map((line) => Number(line.slice(-8)));
  const total = lines.find((line) => line.startsWith("Total Tax:"));
  expect(total).toBe(
    `Total Tax:${printed
      .reduce((a, b) => a + b, 0)
      .toFixed(2)
      .padStart(30)}`,
  );
});

const header = (form: JournalHeader, taxpayer: Partial<Taxpayer> = {}) => {
  const lines = linesOf(print({ cashier: "Ana" }, { header: form, taxpayer }));
  return lines.slice(1, lines.indexOf(`Cashier TIN:${"Ana".padStart(28)}`));
};
const LONG = "DRUŠTVO ZA PROIZVODNJU, PROMET I USLUGE ŽIVOTOPISNA KUĆA DOO BEOGRAD-NOVI BEOGRAD OGRANAK PEKARA PETAR";

it("a journal with the header centred pads both sides, the smaller half on the left, and counts trailing spaces", () => {
  expect(header("centred", { address: "МИЛАНА ТЕПИЋА 13   " })).toEqual([
    "              RS100000001               ",
    "                 Firma                  ",
    "                 Radnja                 ",
    "          МИЛАНА ТЕПИЋА 13              ",
    "                Beograd                 ",
  ]);
});

it("a journal with the header centred wraps between words at 40 columns, and then ignores trailing spaces", () => {
  const lines = (locationName: string) => header("centred", { locationName }).slice(2, -2);
  expect(lines("1000001-МЛЕКАРА ПОТОК Занатска Задружница Пр")).toEqual([
    "     1000001-МЛЕКАРА ПОТОК Занатска     ",
    "             Задружница Пр              ",
  ]);
  expect(lines(`${"Ш".repeat(20)} ${"Ж".repeat(17)}`)).toEqual([` ${"Ш".repeat(20)} ${"Ж".repeat(17)} `]);
  expect(lines(`${"Ш".repeat(28)} ${"Ж".repeat(11)}`)).toEqual([
    `      ${"Ш".repeat(28)}      `,
    `              ${"Ж".repeat(11)}               `,
  ]);
  expect(lines(`${"Ш".repeat(38)} улаза у пролаз    `)).toEqual([
    ` ${"Ш".repeat(38)} `,
    "             улаза у пролаз             ",
  ]);
  expect(
    lines(LONG)
      .map((line) => line.trim())
      .join(" "),
  ).toBe(LONG);
  expect(lines("x".repeat(110)).every((line) => widthOf(line) === 40)).toBe(true);
});

it("a journal with the header labelled names each field, and has a line for the cashier and one for the change", () => {
  const lines = linesOf(
    print({ payment: [{ amount: 2_000_000n, paymentType: "Cash" }] }, { language: "sr-Cyrl-RS", header: "labelled" }),
  );
  expect(lines.slice(1, 7)).toEqual([
    `ПИБ:${"RS100000001".padStart(36)}`,
    `Предузеће:${"Firma".padStart(30)}`,
    `Место продаје:${"Radnja".padStart(26)}`,
    `Адреса:${"Ulica 1".padStart(33)}`,
    `Општина:${"Beograd".padStart(32)}`,
    `Касир:${" ".repeat(34)}`,
  ]);
  const paid = lines.indexOf(`Готовина:${"200,00".padStart(31)}`);
  expect(lines[paid + 1]).toBe(`Повраћај:${"100,00".padStart(31)}`);
});

it("a journal with the header labelled has the change of the printed payments, although a payment may have four decimals", () => {
  const payment = [{ amount: 1_005_049n, paymentType: "Cash" } as const];
  const lines = linesOf(print({ payment: [...payment, ...payment] }, { language: "sr-Cyrl-RS", header: "labelled" }));
  expect(lines.filter((line) => line === `Готовина:${"100,50".padStart(31)}`)).toHaveLength(2);
  expect(lines).toContain(`Повраћај:${"101,00".padStart(31)}`);
});

it("a journal is available in English and in Serbian in both scripts", () => {
  expect(linesOf(print())[0]).toBe("============ FISCAL INVOICE ============");
  expect(print()).toContain("----------NORMAL SALE");
  expect(linesOf(print({}, "sr-Latn-RS"))[0]).toBe("============ FISKALNI RAČUN ============");
  expect(print({}, "sr-Latn-RS")).toContain("PROMET PRODAJA");
});

it("a journal leaves out what the POS did not send", () => {
  const text = print({}, "sr-Cyrl-RS");
  for (const label of ["Касир", "ИД купца", "Опционо поље", "ЕСИР број", "ЕСИР време", "Реф."]) {
    expect(text).not.toContain(label);
  }
});

it("a journal wraps a label and its text at exactly 40 columns, even inside a number, and pads the rest", () => {
  const lines = linesOf(
    print({ cashier: "C".repeat(45) }, { language: "sr-Cyrl-RS", invoiceNumber: "YJLQTEQR-YJLQTEQR-100000" }),
  );
  const linesAt = (label: string) => {
    const at = lines.findIndex((line) => line.startsWith(label));
    return lines.slice(at, at + 2);
  };
  expect(linesAt("Касир:")).toEqual([`Касир: ${"C".repeat(33)}`, "C".repeat(12).padEnd(40)]);
  expect(linesAt("ПФР број рачуна:")).toEqual(["ПФР број рачуна: YJLQTEQR-YJLQTEQR-10000", "0".padEnd(40)]);
});

it("a journal shifts columns, with a space between them, when an amount needs more room", () => {
  const total = 999_999_999_999_9900n;
  const items = [{ ...item("0", "Ж"), quantity: 12_345n, unitPrice: total, totalAmount: total }];
  const payment = [{ amount: total, paymentType: "Other" as const }];
  const lines = linesOf(print({ items, payment, transactionType: "Refund" }, "sr-Cyrl-RS"));
  expect(lines).toContain("999.999.999.999,99 1,235 -999.999.999.999,99");
  expect(lines).toContain("Укупна рефундација:   999.999.999.999,99");
  expect(lines).toContain("Друго безготовинско плаћање: 999.999.999.999,99");
  expect(lines).toContain("Ж             VAT   19,00% 159.663.865.546,22");
  expect(lines).toContain("Укупан износ пореза:  159.663.865.546,22");
  const [tax] = linesOf(print({ items: [item("62631579", "Ж")] })).filter((line) => line.startsWith("Ж"));
  expect(tax).toBe("Ж             VAT   19.00% 10,000,000.01");
});
