/**
 * Runs the suite in an order that protects the card. Harmless requests come first. A wrong PIN comes just before the
 * right PIN, and only if the user allows it. Then come Training invoices, and other invoices if the user allows them.
 * At the end the card is removed and inserted.
 */

import { randomUUID } from "node:crypto";
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import { RECEIPT_LANGUAGES } from "../../src/fiscal/language.js";
import { jsonIn } from "../scenario/json.js";
import type { Row } from "../scenario/row.js";
import { NotApplicable } from "../scenario/stage.js";
import { codesOf } from "./answer-form.js";
import { type InvoiceBody, type Samples, samplesFor } from "./invoices.js";
import { pin, sendPin } from "./pin.js";
import type { ReadAnswer } from "./read-answer.js";
import { refusals } from "./refusals.js";
import { Seller } from "./sales.js";
import { learn, service, statusOf } from "./service.js";
import { get, post, Session, type SessionOptions } from "./session.js";

/** @param wrongPin four digits that are not the card's PIN */
export async function runSuite(options: SessionOptions, wrongPin: string): Promise<readonly Row[]> {
  const session = new Session(options);
  await service(session);
  if (!session.options.online) {
    await pin(session, wrongPin);
    await learn(session, " after the PIN");
  }
  const samples = samplesFor(session.known.rates, session.now);
  await sales(session, samples);
  if (!session.options.online) await card(session, samples);
  session.judgeForm();
  return session.cases;
}

async function sales(session: Session, samples: Samples | undefined): Promise<void> {
  if (!samples) {
    await session.case("Taxes", "a Training Sale", ["STATE-010"], () => {
      throw new NotApplicable("status shows no tax rates that the suite can read: without labels there is no invoice");
    });
    return;
  }
  const seller = new Seller(session);
  const { plain, everyLabel, mixedLabels, full } = samples;
  const requestId = randomUUID().replaceAll("-", "");
  const headers = { RequestId: requestId };
  const acceptance = ["STATE-010", "RECEIPT-007"];
  const first = await seller.sell(plain, "a Training Sale", { acceptance, headers });
  await recovery(session, plain, requestId, first);
  await seller.sell(full, "a Training Sale with buyer, GTIN and Unicode", { acceptance: ["STATE-011", "RECEIPT-007"] });
  await seller.sell(everyLabel, "a Training Sale with every label");
  if (mixedLabels) await seller.sell(mixedLabels, "a Training Sale with several labels an item");
  const options = { omitQRCodeGen: "1", omitTextualRepresentation: "1" };
  await seller.sell({ ...plain, options }, "a Training Sale without QR code and journal");
  if (first) {
    const refund = { ...plain, ...seller.referringTo(first), transactionType: "Refund" };
    await seller.sell(refund, "a Training Refund", { acceptance: ["RECEIPT-008"] });
  }
  await refusals(session, samples);
  await languages(seller, plain);
  await realReceipts(seller, plain);
}

async function recovery(session: Session, invoice: InvoiceBody, requestId: string, first: ReadAnswer | undefined) {
  const requireFirst = () => {
    if (!first) throw new NotApplicable("the first sale was not answered");
    const { invoiceNumber, totalCounter, signature } = first.body;
    return { ...(invoiceNumber === undefined ? {} : { invoiceNumber }), totalCounter, signature };
  };
  await session.case("Recovery", "status names the last invoice", ["API-001"], async (tools) => {
    const { invoiceNumber } = requireFirst();
    if (session.options.online) throw new NotApplicable("other taxpayers use the element of an online service, too");
    if (invoiceNumber === undefined) throw new NotApplicable("the answer of the sale has no invoiceNumber");
    tools.expect({ lastInvoiceNumber: invoiceNumber }, await statusOf(tools));
  });
  await session.case("Recovery", "the answer of a RequestId can be read again", ["API-001"], async (tools) => {
    const expected = requireFirst();
    const answer = await tools.call(get(`/invoices/${requestId}`));
    if (answer.status === 404 || answer.status === 405) {
      throw new NotApplicable(
        "the service has no GET /api/v3/invoices/{requestId}, which the specification does not ask for",
      );
    }
    tools.expect({ status: 200 }, answer);
    tools.expect(expected, jsonIn(answer.text));
  });
  await session.case("Recovery", "a sale repeated with its RequestId is not signed again", [], async (tools) => {
    const expected = requireFirst();
    const answer = await tools.call(post("/invoices", invoice, { RequestId: requestId }));
    tools.expect({ status: { $range: [200, 201] } }, answer);
    tools.expect(expected, jsonIn(answer.text));
  });
}

async function languages(seller: Seller, invoice: InvoiceBody): Promise<void> {
  const { session, usual } = seller;
  for (const language of RECEIPT_LANGUAGES.filter((one) => one !== usual)) {
    if (session.known.languages.includes(language)) {
      await seller.sell(invoice, `a Training Sale in ${language}`, { language });
    }
  }
  await session.case("Languages", "a list of languages: the first supported one is used", [], async (tools) => {
    const answer = await tools.call(post("/invoices", invoice, { "Accept-Language": `xx-XX;${usual}` }));
    tools.expect({ status: { $range: [200, 201] } }, answer);
  });
  await session.case("Languages", "a language that is not supported is refused with 406", [], async (tools) => {
    const answer = await tools.call(post("/invoices", invoice, { "Accept-Language": "xx-XX" }));
    if (answer.status < 300)
      throw new NotApplicable("deployed services answer 406, which the specification does not name");
    tools.expect({ status: { $range: [400, 499] } }, answer);
  });
}

/** All pairs of types except Training, with the numbers of their acceptance cases, from 001 to 010. */
const REAL = INVOICE_TYPE_NAMES.flatMap((type) => TRANSACTION_TYPE_NAMES.map((kind) => [type, kind] as const))
  .map(([type, kind], i) => [type, kind, String(i + 1).padStart(3, "0")] as const)
  .filter(([type]) => type !== "Training");

async function realReceipts(seller: Seller, plain: InvoiceBody): Promise<void> {
  const originals = new Map<string, ReadAnswer>();
  for (const [invoiceType, transactionType, number] of REAL) {
    const refers = invoiceType === "Copy" || transactionType === "Refund";
    const original = originals.get(invoiceType === "Copy" ? `Normal ${transactionType}` : `${invoiceType} Sale`);
    // If the original was refused, this invoice is refused for the same reason.
    const reference = refers && original ? seller.referringTo(original) : {};
    const title = `${invoiceType} ${transactionType}`;
    const invoice = { ...plain, ...reference, invoiceType, transactionType };
    const sold = await seller.sell(invoice, title, { acceptance: [`RECEIPT-${number}`] });
    if (sold) originals.set(title, sold);
  }
}

async function card(session: Session, samples: Samples | undefined): Promise<void> {
  await session.case("Card", "without a card: status has 1300", ["STATE-006"], async (tools) => {
    await session.options.stage.act({ card: "remove" });
    tools.expect({ gsc: { $contains: "1300" } }, await statusOf(tools));
  });
  const isOut = session.cases.at(-1)?.outcome === "passed";
  const away: readonly (readonly [title: string, acceptance: string[], send: typeof sendPin])[] = [
    ["environment parameters are", ["STATE-005"], ({ call }) => call(get("/environment-parameters"))],
    ["the PIN is", ["STATE-007"], sendPin],
    ["an invoice is", ["STATE-001", "STATE-008"], ({ call }) => call(post("/invoices", samples?.plain ?? {}))],
    ["an invoice by its id is", ["STATE-009"], ({ call }) => call(get("/invoices/any"))],
  ];
  for (const [title, acceptance, send] of away) {
    await session.case("Card", `without a card: ${title} 1300`, acceptance, async (tools) => {
      if (!isOut)
        throw new NotApplicable("the suite cannot take this card out; --control-url lets it do so in the emulator");
      const answer = await send(tools);
      if (send === sendPin) tools.expect({ code: "1300" }, { code: codesOf(answer)[0] });
      else tools.expect({ status: 400, text: { $contains: "1300" } }, answer);
    });
  }
  await session.case("Card", "a card that is inserted again needs its PIN", ["STATE-002"], async (tools) => {
    await session.options.stage.act({ card: "insert" });
    tools.expect({ isPinRequired: true, gsc: { $contains: "1500" } }, await statusOf(tools));
  });
}
