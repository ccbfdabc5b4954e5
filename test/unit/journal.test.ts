import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INVOICE_TYPE_NAMES, type Invoice, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import { type JournalHeader, journal } from "../../src/fiscal/journal/journal.js";
import { widthOf } from "../../src/fiscal/journal/layout.js";
import { LANGUAGES, type Language } from "../../src/fiscal/language.js";
import { taxItems } from "../../src/fiscal/tax.js";
import { invoice, item, SANDBOX } from "../support/invoices.js";

const TAXPAYER = {
  tin: "RS100000001",
  businessName: "Firma",
  locationName: "Radnja",
  address: "Ulica 1",
  district: "Beograd",
};

function print(overrides: Partial<Invoice> = {}, language: Language = "en-US", header: JournalHeader = "left"): string {
  const [group] = SANDBOX.taxRates;
  const subject = invoice(overrides);
  return journal({
    invoice: subject,
    taxpayer: TAXPAYER,
    taxItems: group ? taxItems(subject.items, group) : [],
    sdcTime: Date.UTC(2023, 5, 6, 11, 21, 15),
    invoiceNumber: "TESTCARD-TESTCARD-1",
    invoiceCounter: "1/1NS",
    language,
    timeZone: "Europe/Belgrade",
    header,
  });
}

const linesOf = (text: string) => text.split("\r\n").slice(0, -1);

describe("journal", () => {
  it("ends every line with CRLF, the last one included, and is nowhere wider than 40 columns", () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 300 })
      .filter((drawn) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(drawn));
    const amount = fc.bigInt({ min: 0n, max: 10n ** 16n });
    fc.assert(
      fc.property(text, text, amount, fc.constantFrom(...LANGUAGES), (name, cashier, total, language) => {
        const items = [{ ...item("0", "A", "F"), name, totalAmount: total, unitPrice: total, quantity: total + 1n }];
        const printed = print({ items, cashier, payment: [{ amount: total, paymentType: "Other" }] }, language);
        expect(printed.endsWith("\r\n")).toBe(true);
        for (const line of linesOf(printed)) expect(widthOf(line)).toBeLessThanOrEqual(40);
        expect(printed.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      }),
    );
  });

  it("breaks a name of 2,048 characters hard at 40 and pads its last line", () => {
    const lines = linesOf(print({ items: [{ ...item("1", "A"), name: "x".repeat(2048) }] }));
    const at = lines.findIndex((line) => line.startsWith("xxxx"));
    expect(lines.slice(at, at + 51).every((line) => line === "x".repeat(40))).toBe(true);
    expect(lines[at + 51]).toBe(`${"x".repeat(8)} (A)${" ".repeat(28)}`);
  });

  it.each(
    INVOICE_TYPE_NAMES.flatMap((invoiceType) =>
      TRANSACTION_TYPE_NAMES.map((transactionType) => ({ invoiceType, transactionType })),
    ),
  )("of a $invoiceType $transactionType says what it is", (types) => {
    const lines = linesOf(print(types, "sr-Cyrl-RS"));
    const fiscal = types.invoiceType === "Normal" || types.invoiceType === "Advance";
    const notFiscal = "======== ОВО НИЈЕ ФИСКАЛНИ РАЧУН =======";
    expect(lines[0]).toBe(fiscal ? "============ ФИСКАЛНИ РАЧУН ============" : notFiscal);
    expect(lines.at(-1)).toBe(fiscal ? "======== КРАЈ ФИСКАЛНОГ РАЧУНА =========" : notFiscal);
    const body = `        ОВО НИЈЕ ФИСКАЛНИ РАЧУН${" ".repeat(9)}`;
    expect(lines.includes(body)).toBe(!fiscal);
    if (!fiscal) expect(lines[lines.indexOf(body) + 1]).toBe("=".repeat(40));
    const refund = types.transactionType === "Refund";
    expect(lines).toContain(
      `${refund ? "Укупна рефундација:" : "Укупан износ:"}${"100,00".padStart(refund ? 21 : 27)}`,
    );
    expect(lines).toContain(`       100,00          1${(refund ? "-100,00" : "100,00").padStart(16)}`);
  });

  it("centres the line of types with the smaller half on the left", () => {
    const typeLine = (types: Partial<Invoice>) =>
      linesOf(print(types, "sr-Cyrl-RS")).find((line) => line.startsWith("--"));
    expect(typeLine({})).toBe("-------------ПРОМЕТ ПРОДАЈА-------------");
    expect(typeLine({ invoiceType: "Proforma" })).toBe("-----------ПРЕДРАЧУН ПРОДАЈА------------");
  });

  it("groups thousands with dots, and shows three decimals of a quantity that is not whole", () => {
    const items = [{ ...item("1234567.89", "A"), unitPrice: 10_000_000_00n, quantity: 12_345n }];
    expect(linesOf(print({ items }))).toContain("   100.000,00      1,235    1.234.567,89");
  });

  it("prints the total tax as the sum of what it prints", () => {
    const lines = linesOf(print({ items: [item("12.99", "A"), item("12.99", "F"), item("12.99", "Ж")] }));
    const printed = lines
      .filter((line) => /^[AFЖ] /.test(line))
      .map((line) => Number(line.slice(-8).replace(",", ".")));
    const total = lines.find((line) => line.startsWith("Total Tax:"));
    expect(total).toBe(
      `Total Tax:${printed
        .reduce((a, b) => a + b, 0)
        .toFixed(2)
        .replace(".", ",")
        .padStart(30)}`,
    );
  });

  it("has the taxpayer unlabelled, centred or labelled", () => {
    expect(linesOf(print({}, "en-US", "left"))[1]).toBe("RS100000001");
    expect(linesOf(print({}, "en-US", "centred"))[1]).toBe(`${" ".repeat(14)}RS100000001${" ".repeat(15)}`);
    expect(linesOf(print({}, "en-US", "labelled"))[1]).toBe(`TIN:${"RS100000001".padStart(36)}`);
  });

  it("speaks English, and Serbian in both scripts", () => {
    expect(linesOf(print())[0]).toBe("============ FISCAL INVOICE ============");
    expect(print()).toContain("----------NORMAL SALE");
    expect(linesOf(print({}, "sr-Latn-RS"))[0]).toBe("============ FISKALNI RAČUN ============");
    expect(print({}, "sr-Latn-RS")).toContain("PROMET PRODAJA");
  });

  it("leaves out what is absent and breaks what does not fit its line", () => {
    const lines = linesOf(print({ referentDocumentNumber: "A".repeat(30), cashier: "C".repeat(45) }));
    expect(lines.some((line) => line.startsWith("Buyer"))).toBe(false);
    const at = lines.findIndex((line) => line.startsWith("Cashier"));
    expect(lines.slice(at, at + 2)).toEqual([`Cashier TIN: ${"C".repeat(27)}`, "C".repeat(18)]);
  });
});
