/**
 * The page of the emulated authority that a receipt's QR code opens: `/v/?vl=...`. People get HTML. Programs that send
 * `Accept: application/json` get JSON.
 */
import { type Request, type Response, Router } from "express";
import { fill } from "../../src/base/fill.js";
import { asSupported, chooseLanguage, type ReceiptLanguage } from "../../src/fiscal/language.js";
import { VerificationUrlError } from "../../src/fiscal/verification-url.js";
import { html, PAGE_POLICY, page } from "../../src/http/html.js";
import { type AuthorityRecords, type ReceiptVerdict, verify } from "./verification.js";
import {
  type BrokenAddress,
  brokenAddressText,
  VERIFICATION_TEXTS,
  type VerificationTexts,
} from "./verification-texts.js";

/** Path of the page. The base64 text of the receipt follows it. */
export const VERIFICATION_PATH = "/v/?vl=";

export function verificationRouter(records: AuthorityRecords): Router {
  const router = Router();
  router.get("/v", (request, response) => {
    const zone = records.timeZone() ?? "UTC";
    response.setHeader("Content-Security-Policy", PAGE_POLICY);
    response.setHeader("Cache-Control", "no-store");
    if (request.query.vl === undefined) {
      refuse(request, response, "noParameter", "the address has no parameter vl, which a receipt's QR code has");
      return;
    }
    try {
      const verdict = verify(request.originalUrl, records);
      answer(request, response, { ...recordedForm(verdict), ...verdict }, (language) =>
        verdictPage(verdict, language, zone),
      );
    } catch (error) {
      if (!(error instanceof VerificationUrlError)) throw error;
      refuse(request, response, error.problem, error.message, error.values);
    }
  });
  return router;
}

/**
 * Returns what the page of a real authority answers to programs (protocol facts, section 3). Fields that the verification
 * URL does not contain are null.
 */
function recordedForm({ valid, invoice, taxpayer, journal }: ReceiptVerdict) {
  const { invoiceNumber, invoiceType, transactionType, totalAmount, time, totalCounter, transactionTypeCounter } =
    invoice;
  const [requestedBy, signedBy] = invoiceNumber.split("-");
  // The extension depends on the language of the receipt.
  const invoiceCounterExtension = journal?.match(/\d\/\d+(\p{L}{2})\r\n/u)?.[1] ?? null;
  return {
    invoiceRequest: {
      posTime: null,
      taxId: taxpayer?.tin ?? null,
      businessName: taxpayer?.businessName ?? null,
      locationName: taxpayer?.locationName ?? null,
      address: null,
      buyerId: invoice.buyerId === "" ? null : invoice.buyerId,
      requestedBy,
      invoiceType,
      transactionType,
      payments: null,
    },
    invoiceResult: {
      totalAmount: Number(totalAmount),
      transactionTypeCounter,
      totalCounter,
      invoiceCounterExtension,
      invoiceNumber,
      signedBy,
      sdcTime: time,
    },
    isValid: valid,
  };
}

/** Answers a wrong address with 400. Programs get the message in English, like every API error. */
function refuse(
  request: Request,
  response: Response,
  problem: BrokenAddress,
  message: string,
  values: Readonly<Record<string, number>> = {},
): void {
  response.status(400);
  answer(request, response, { message }, (language) =>
    brokenPage(brokenAddressText(language, problem, message, values), language),
  );
}

/** Answers in the language that the browser prefers, or in English if the page does not have that language. */
function answer(
  request: Request,
  response: Response,
  record: object,
  shown: (language: ReceiptLanguage) => string,
): void {
  response.setHeader("Vary", "Accept, Accept-Language");
  const language = chooseLanguage(request.headers["accept-language"], asSupported(PAGE_LANGUAGES)) ?? "en-US";
  if (request.accepts(["html", "json"]) === "json") response.json(record);
  else response.type("html").send(shown(language));
}

/** Languages of the page. English is first, because it is the default. */
const PAGE_LANGUAGES = ["en-US", "sr-Cyrl-RS", "sr-Latn-RS"] as const;

const STYLE = `
  h1 { font-size: 1rem; color: var(--muted); font-weight: 600; margin: 0.5rem 0; }
  h2 { font-size: 1.05rem; border: 0; margin: 0; padding: 0; color: var(--muted); }
  .verdict { display: flex; align-items: center; gap: 1rem; padding: 1.25rem 1.5rem; border-radius: 1rem; margin: 0 0 1rem;
    font-size: clamp(1.35rem, 5vw, 1.9rem); font-weight: 700; line-height: 1.2; }
  .verdict::before { flex: none; width: 3.2rem; height: 3.2rem; border-radius: 50%; display: grid; place-content: center;
    color: var(--surface); }
  .valid { background: var(--good-soft); } .valid::before { content: "✓" / ""; background: var(--good); }
  .invalid { background: var(--bad-soft); } .invalid::before { content: "✕" / ""; background: var(--bad); }
  .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); gap: 1rem; align-items: start; }
  section { background: var(--surface); border: 1px solid var(--line); border-radius: 0.9rem; padding: 1.1rem 1.25rem;
    min-width: 0; }
  th { font-weight: 400; color: var(--muted); width: 38%; } td { overflow-wrap: anywhere; }
  tbody tr:first-child { border: 0; }
  .right::before { content: "✓ " / ""; color: var(--good); } .wrong::before { content: "✕ " / ""; color: var(--bad); }
  .right::before, .wrong::before { font-weight: 700; }
  pre { margin: 0.6rem auto 0; width: max-content; max-width: 100%; box-sizing: border-box; white-space: pre; overflow-x: auto;
    font-size: min(0.85rem, 3vw); background: var(--paper); color: var(--on-paper); border-radius: 0; }`;

function brokenPage(message: string, language: ReceiptLanguage): string {
  const { notAReceipt } = VERIFICATION_TEXTS[language];
  const body = `<p class="verdict invalid">${notAReceipt}</p>\n<p>${html(message)}</p>`;
  return page(notAReceipt, body, STYLE, language);
}

function verdictPage(
  { valid, checks, invoice, taxpayer, journal }: ReceiptVerdict,
  language: ReceiptLanguage,
  zone: string,
): string {
  const texts = VERIFICATION_TEXTS[language];
  const word = valid ? "valid" : "invalid";
  const receipt =
    journal === null
      ? ""
      : `<section aria-label="${texts.receipt}"><h2>${texts.receipt}</h2>\n<pre>${html(journal)}</pre></section>`;
  const { invoiceType, transactionType } = invoice;
  // An amount has four decimals. The page does not show the last two of them if they are zeros.
  const amount = invoice.totalAmount.replace(/0{1,2}$/, "");
  const invoiceRows: ReceiptRow[] = [
    [texts.taxpayer, taxpayer ? `${taxpayer.businessName}, ${taxpayer.tin}` : texts.notRegistered],
    [texts.number, invoice.invoiceNumber],
    [texts.signer, invoice.onlineService === null ? "" : fill(texts.onlineService, { uid: invoice.onlineService })],
    [texts.type, `${wordOf(texts, invoiceType)} ${wordOf(texts, transactionType)}`],
    [texts.totalAmount, language === "en-US" ? amount : amount.replace(".", ",")],
    [texts.time, `${timeIn(zone, invoice.time)} (${zone})`],
    [texts.buyer, invoice.buyerId],
    [texts.counters, `${invoice.transactionTypeCounter}/${invoice.totalCounter}`],
  ];
  const checkRows: ReceiptRow[] = [
    [texts.hash, checks.hash ?? texts.noHash],
    [texts.signature, checks.signature ?? texts.notChecked],
    [texts.internalData, checks.internalData],
  ];
  return page(
    texts[word],
    `<h1>${texts.authority}</h1>
<p class="verdict ${word}" role="status">${texts[word]}</p>
<div class="sides">
<div class="sides">
${section(texts.invoice, invoiceRows, texts)}
${section(texts.checks, checkRows, texts)}
</div>
${receipt}
</div>`,
    STYLE,
    language,
  );
}

function wordOf(texts: VerificationTexts, name: string): string {
  return (texts as Readonly<Record<string, string>>)[name] ?? name;
}

/** Returns a time in the form that receipts print, such as `22.11.2026. 13:21:15`. @param iso in UTC */
function timeIn(zone: string, iso: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone: zone,
  }).formatToParts(new Date(iso));
  const { day, month, year, hour, minute, second } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${day}.${month}.${year}. ${hour}:${minute}:${second}`;
}

type ReceiptRow = readonly [name: string, value: string | boolean];

function section(title: string, rows: readonly ReceiptRow[], texts: VerificationTexts): string {
  const lines = rows.filter(([, value]) => value !== "");
  return `<section aria-label="${title}"><h2>${title}</h2>
<table><tbody>
${lines.map(([name, value]) => `<tr><th scope="row">${name}</th>${cell(value, texts)}</tr>`).join("\n")}
</tbody></table></section>`;
}

function cell(value: string | boolean, { right, wrong }: VerificationTexts): string {
  if (typeof value === "string") return `<td>${html(value)}</td>`;
  return value ? `<td class="right">${right}</td>` : `<td class="wrong">${wrong}</td>`;
}
