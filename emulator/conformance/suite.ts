/**
 * The suite, in an order that does not risk the card: harmless requests first, a wrong PIN only if the user allows it and just
 * before the right one, Training invoices, other invoices only if the user allows them, and the card last.
 */
import { randomUUID } from "node:crypto";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../../src/fiscal/language.js";
import { parseTime } from "../../src/fiscal/time.js";
import { PROFILE_SCHEMA } from "../card/profile.js";
import type { SentSale } from "../tax-authority/read-sale.js";
import type { Case } from "./case.js";
import { NotTested } from "./case.js";
import { type InvoiceBody, type Samples, samplesFor } from "./invoices.js";
import { fieldsOf, knownFrom } from "./known.js";
import { refusals } from "./refusals.js";
import { referringTo, Seller } from "./sales.js";
import { type CaseTools, get, jsonIn, post, Session, type SessionOptions } from "./session.js";

/** The stage replaces it by the card's PIN. */
const PIN = PROFILE_SCHEMA.properties.pin.default;

export interface SuiteOptions extends SessionOptions {
  /** Four digits that are not the card's PIN. */
  readonly wrongPin: string;
}

export async function runSuite(options: SuiteOptions): Promise<readonly Case[]> {
  const session = new Session(options);
  await service(session);
  await pin(session, options.wrongPin);
  const samples = samplesFor(session.known.rates, session.now);
  await sales(session, samples);
  await card(session, samples);
  return session.cases;
}

async function service(session: Session): Promise<void> {
  await session.case("Service", "attention", ["STATE-004"], async (tools) => {
    tools.expect({ status: 200 }, await tools.call(get("/attention")));
  });
  const first = session.cases[0];
  if (first?.deviations.some(({ exchange }) => !exchange?.answer)) {
    session.stopped = `no answer came: ${first.deviations[0]?.actual}`;
  }
  let status: unknown;
  await session.case("Service", "status", ["STATE-003"], async (tools) => {
    status = await statusOf(tools);
  });
  let environment: unknown;
  await session.case("Service", "environment parameters", [], async (tools) => {
    const answer = await tools.call(get("/environment-parameters"));
    tools.expect({ status: 200 }, answer);
    environment = jsonIn(answer);
  });
  session.known = knownFrom(status, environment);
  session.now = parseTime(String(fieldsOf(status).sdcDateTime)) ?? 0;
  await session.case("PIN", "status without the PIN has 1500", ["STATE-012"], (tools) => {
    requirePinNeeded(status);
    tools.expect({ isPinRequired: true }, status);
  });
  const samples = samplesFor(session.known.rates, session.now);
  await session.case("PIN", "an invoice without the PIN is refused with 401 and 1500", ["STATE-013"], async (tools) => {
    requirePinNeeded(status);
    if (!samples) throw new NotTested("status shows no tax rates");
    const answer = await tools.call(post("/invoices", samples.plain));
    tools.expect({ status: 401, text: { $contains: "1500" } }, answer);
  });
}

async function statusOf(tools: CaseTools): Promise<unknown> {
  const answer = await tools.call(get("/status"));
  tools.expect({ status: 200 }, answer);
  return jsonIn(answer);
}

function codesIn(status: unknown): readonly unknown[] {
  const { gsc } = fieldsOf(status);
  return Array.isArray(gsc) ? gsc : [];
}

/** @throws NotTested */
function requirePinNeeded(status: unknown): void {
  if (!codesIn(status).includes("1500"))
    throw new NotTested("the service did not ask for the PIN: it was verified before");
}

const resultOf = (text: string) => text.trim().replaceAll('"', "");

async function pin(session: Session, wrongPin: string): Promise<void> {
  let isLocked = false;
  await session.case("PIN", "a wrong PIN is 2100", ["STATE-014"], async (tools) => {
    const answer = await tools.call(post("/pin", wrongPin, { "Content-Type": "text/plain" }));
    isLocked = resultOf(answer.text) === "2110";
    tools.expect("2100", resultOf(answer.text));
  });
  if (isLocked) session.stopped = "the card is locked";
  const forms: readonly (readonly [string, string, Record<string, string>])[] = [
    ["in an object", JSON.stringify({ pin: PIN }), {}],
    ["as text", PIN, { "Content-Type": "text/plain" }],
    ["as a JSON text", JSON.stringify(PIN), {}],
  ];
  for (const [form, body, headers] of forms) {
    let answer: string | undefined;
    await session.case("PIN", `the right PIN ${form} is 0100`, ["STATE-015"], async (tools) => {
      answer = resultOf((await tools.call(post("/pin", body, headers))).text);
      tools.expect("0100", answer);
    });
    // Each refused PIN costs an attempt.
    if (answer !== undefined && answer !== "0100") session.stopped = `the service refused the PIN with ${answer}`;
  }
  await session.case("PIN", "status after the PIN has 0100", ["STATE-016"], async (tools) => {
    const status = await statusOf(tools);
    if (!codesIn(status).includes("0100") && codesIn(status).includes("1500")) {
      const unsent = session.cases.findLast(({ title }) => title.startsWith("the right PIN"))?.reason;
      if (unsent !== undefined) throw new NotTested(unsent);
    }
    tools.expect({ isPinRequired: false, gsc: { $contains: "0100" } }, status);
  });
}

async function sales(session: Session, samples: Samples | undefined): Promise<void> {
  if (!samples) {
    await session.case("Taxes", "a Training Sale", ["STATE-010"], () => {
      throw new NotTested("status shows no tax rates that the suite can read: without labels there is no invoice");
    });
    return;
  }
  const seller = new Seller(session);
  const language = session.known.languages[0] ?? "sr-Cyrl-RS";
  const { plain, everyLabel, mixedLabels, full } = samples;
  const requestId = randomUUID().replaceAll("-", "");
  const headers = { RequestId: requestId };
  const acceptance = ["STATE-010", "RECEIPT-007"];
  const first = await seller.sell(plain, { title: "a Training Sale", acceptance, language, headers });
  await recovery(session, plain, requestId, first);
  await seller.sell(full, {
    title: "a Training Sale with buyer, GTIN and Unicode",
    acceptance: ["STATE-011", "RECEIPT-007"],
    language,
  });
  await seller.sell(everyLabel, { title: "a Training Sale with every label", language });
  if (mixedLabels) await seller.sell(mixedLabels, { title: "a Training Sale with several labels an item", language });
  const options = { omitQRCodeGen: "1", omitTextualRepresentation: "1" };
  await seller.sell({ ...plain, options }, { title: "a Training Sale without QR code and journal", language });
  if (first) {
    const refund = { ...plain, ...referringTo(first), transactionType: "Refund" };
    await seller.sell(refund, { title: "a Training Refund", acceptance: ["RECEIPT-008"], language });
  }
  await refusals(session, samples);
  await languages(session, seller, plain, language);
  await realReceipts(seller, plain, language);
}

async function recovery(session: Session, invoice: InvoiceBody, requestId: string, first: SentSale | undefined) {
  const requireFirst = () => {
    if (!first) throw new NotTested("the first sale was not answered");
    return { invoiceNumber: first.invoiceNumber, signature: Buffer.from(first.signature).toString("base64") };
  };
  await session.case("Recovery", "status names the last invoice", ["API-001"], async (tools) => {
    const { invoiceNumber } = requireFirst();
    tools.expect({ lastInvoiceNumber: invoiceNumber }, await statusOf(tools));
  });
  await session.case("Recovery", "the answer of a RequestId can be read again", ["API-001"], async (tools) => {
    const expected = requireFirst();
    const answer = await tools.call(get(`/invoices/${requestId}`));
    if (answer.status === 404 || answer.status === 405) {
      throw new NotTested(
        "the service has no GET /api/v3/invoices/{requestId}, which the specification does not ask for",
      );
    }
    tools.expect({ status: 200 }, answer);
    tools.expect(expected, jsonIn(answer));
  });
  await session.case("Recovery", "a sale repeated with its RequestId is not signed again", [], async (tools) => {
    const expected = requireFirst();
    const answer = await tools.call(post("/invoices", invoice, { RequestId: requestId }));
    tools.expect({ status: { $range: [200, 201] } }, answer);
    tools.expect(expected, jsonIn(answer));
  });
}

async function languages(
  session: Session,
  seller: Seller,
  invoice: InvoiceBody,
  usual: ReceiptLanguage,
): Promise<void> {
  for (const language of RECEIPT_LANGUAGES.filter((one) => one !== usual)) {
    if (session.known.languages.includes(language)) {
      await seller.sell(invoice, { title: `a Training Sale in ${language}`, language });
    }
  }
  await session.case("Languages", "a list of languages: the first supported one is used", [], async (tools) => {
    const answer = await tools.call(post("/invoices", invoice, { "Accept-Language": `xx-XX;${usual}` }));
    tools.expect({ status: { $range: [200, 201] } }, answer);
  });
  await session.case("Languages", "a language that is not supported is refused with 406", [], async (tools) => {
    const answer = await tools.call(post("/invoices", invoice, { "Accept-Language": "xx-XX" }));
    tools.expect({ status: 406 }, answer);
  });
}

/** All pairs of types, with the numbers of their acceptance cases. */
const REAL = [
  ["Normal", "Sale", "001"],
  ["Normal", "Refund", "002"],
  ["Proforma", "Sale", "003"],
  ["Proforma", "Refund", "004"],
  ["Copy", "Sale", "005"],
  ["Copy", "Refund", "006"],
  ["Advance", "Sale", "009"],
  ["Advance", "Refund", "010"],
] as const;

async function realReceipts(seller: Seller, plain: InvoiceBody, language: ReceiptLanguage): Promise<void> {
  const originals = new Map<string, SentSale>();
  for (const [invoiceType, transactionType, number] of REAL) {
    const refers = invoiceType === "Copy" || transactionType === "Refund";
    const original = originals.get(invoiceType === "Copy" ? `Normal ${transactionType}` : `${invoiceType} Sale`);
    // If the original was refused, this invoice is refused for the same reason.
    const reference = refers && original ? referringTo(original) : {};
    const sold = await seller.sell(
      { ...plain, ...reference, invoiceType, transactionType },
      { title: `${invoiceType} ${transactionType}`, acceptance: [`RECEIPT-${number}`], language },
    );
    if (sold) originals.set(`${invoiceType} ${transactionType}`, sold);
  }
}

async function card(session: Session, samples: Samples | undefined): Promise<void> {
  await session.case("Card", "without a card: status has 1300", ["STATE-006"], async (tools) => {
    await session.stage.card("remove");
    tools.expect({ gsc: { $contains: "1300" } }, await statusOf(tools));
  });
  const isOut = session.cases.at(-1)?.outcome === "conforms";
  const away = async (title: string, acceptance: readonly string[], run: (tools: CaseTools) => Promise<void>) =>
    session.case("Card", `without a card: ${title}`, acceptance, async (tools) => {
      if (!isOut)
        throw new NotTested("the suite cannot take this card out; --control-url lets it do so in the emulator");
      await run(tools);
    });
  const refused = { status: 400, text: { $contains: "1300" } };
  await away("environment parameters are 1300", ["STATE-005"], async (tools) => {
    tools.expect(refused, await tools.call(get("/environment-parameters")));
  });
  await away("the PIN is 1300", ["STATE-007"], async (tools) => {
    tools.expect("1300", resultOf((await tools.call(post("/pin", PIN, { "Content-Type": "text/plain" }))).text));
  });
  await away("an invoice is 1300", ["STATE-001", "STATE-008"], async (tools) => {
    tools.expect(refused, await tools.call(post("/invoices", samples?.plain ?? {})));
  });
  await away("an invoice by its id is 1300", ["STATE-009"], async (tools) => {
    tools.expect(refused, await tools.call(get("/invoices/any")));
  });
  await session.case("Card", "a card that is inserted again needs its PIN", ["STATE-002"], async (tools) => {
    await session.stage.card("insert");
    tools.expect({ isPinRequired: true, gsc: { $contains: "1500" } }, await statusOf(tools));
  });
}
