/** What a stored receipt says: from its intent, or from what the card signed. */
import fc from "fast-check";
import { stringify } from "lossless-json";
import { expect, it } from "vitest";
import { auditPayload } from "../../src/authority/audit-package.js";
import { KINDS } from "../../src/fiscal/counters.js";
import type { SoldInvoice } from "../../src/fiscal/invoice.js";
import { toDecimalText } from "../../src/fiscal/money.js";
import type { TaxItem } from "../../src/fiscal/tax.js";
import { answerJson, buildAnswer } from "../../src/fiscalizer/answer.js";
import { encodeIntent, type Intent } from "../../src/ledger/intent.js";
import { answerIn, contentOf, printedReceipt, readAnswer } from "../../src/ledger/receipt-content.js";

const CARD = {
  totalCounter: 7,
  transactionTypeCounter: 3,
  encryptedInternalData: new Uint8Array(256),
  signature: new Uint8Array(256),
};

const ITEM = { name: "Coffee", quantity: 10_000n, unitPrice: 10_000n, labels: ["A"] };

const intents = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    amounts: fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 5 }),
    sdcTime: fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) }),
    buyerId: fc.option(fc.stringMatching(/^[0-9:]{1,20}$/), { nil: undefined }),
    omitTextualRepresentation: fc.boolean(),
  })
  .map(({ kind, amounts, sdcTime, buyerId, omitTextualRepresentation }): Intent => {
    const items = amounts.map((totalAmount) => ({ ...ITEM, unitPrice: totalAmount, totalAmount }));
    const invoice: SoldInvoice = {
      invoiceType: kind.invoiceType,
      transactionType: kind.transactionType,
      payment: [{ amount: amounts.reduce((sum, amount) => sum + amount, 0n), paymentType: "Cash" }],
      options: { omitQRCodeGen: false, omitTextualRepresentation },
      items,
      ...(buyerId === undefined ? {} : { buyerId }),
    };
    return {
      sdcTime,
      uid: "TESTCARD",
      taxpayer: { tin: "1", businessName: "Shop", locationName: "", address: "", district: "" },
      invoice,
      taxItems: [],
      taxGroupRevision: 1,
      language: "sr-Latn-RS",
      timeZone: "Europe/Belgrade",
      journalHeader: "centred",
      qrFormat: "gif",
      root: "https://verify.test/v/?vl=",
      mrc: "x",
    };
  });

it("a receipt's content is the same from the intent and from what the card signed", () => {
  fc.assert(
    fc.property(intents, (intent) => {
      const texts = { intent: encodeIntent(intent), answer: answerJson(buildAnswer(intent, CARD)) };
      const { intent: read, ...sold } = contentOf(texts) ?? {};
      expect(read).toEqual(intent);
      expect(contentOf({ ...texts, intent: null })).toEqual({ ...sold, intent: undefined });
      const { invoiceNumber, verificationUrl, journal } = readAnswer(texts.answer);
      expect(invoiceNumber).toBe("TESTCARD-TESTCARD-7");
      // The text of a receipt is made if the POS did not ask for it.
      const printed = printedReceipt(texts.intent, texts.answer);
      expect(printed.verificationUrl).toBe(verificationUrl);
      expect(printed.journal).toBe(journal ?? readAnswer(answerJson(buildAnswer(withText(intent), CARD))).journal);
      // The authority always gets the text.
      expect(JSON.parse(auditPayload(texts))).toMatchObject({ result: { journal: printed.journal } });
    }),
    { numRuns: 200 },
  );
});

function withText({ invoice, ...rest }: Intent): Intent {
  return { ...rest, invoice: { ...invoice, options: { ...invoice.options, omitTextualRepresentation: false } } };
}

it.each([
  ["no text", null, null],
  ["an intent that is no JSON", "{", null],
  ["an intent without an invoice", "{}", null],
  ["an answer that is null", null, "null"],
  ["an answer without a verification URL", null, "{}"],
  ["an answer with another URL", null, '{"verificationUrl":"https://verify.test/"}'],
])("a receipt's content is unknown for a damaged entry: %s", (_what, intent, answer) => {
  expect(contentOf({ intent, answer })).toBeUndefined();
});

it("a receipt's content leaves out an answer that is missing or damaged", () => {
  expect([null, "{", "null", '"x"'].map((answer) => answerIn({ answer }))).toEqual(Array(4).fill(undefined));
});

it("a receipt's content has every digit of its amounts, whether a double keeps them or not", () => {
  // Amounts from one digit to the 56 bits of a card.
  const amounts = fc.integer({ min: 0, max: 55 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) }));
  fc.assert(
    fc.property(intents, amounts, amounts, (intent, totalAmount, amount) => {
      const tax: TaxItem = { categoryType: 0, categoryName: "VAT", orderId: 1, label: "A", rate: 200_000n, amount };
      const invoice = { ...intent.invoice, items: [{ ...ITEM, totalAmount }] };
      const answer = buildAnswer({ ...intent, invoice, taxItems: [tax] }, CARD);
      const json = answerJson(answer);
      expect(json).toContain(`"totalAmount":${toDecimalText(totalAmount)},`);
      expect(json).toContain(`"rate":20,"amount":${toDecimalText(amount)}}`);
      expect(json).toBe(stringify(answer));
    }),
  );
});
