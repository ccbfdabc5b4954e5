/**
 * The page of the emulated authority that a receipt's QR code opens: `/v/?vl=...`. People get HTML. Programs that send
 * `Accept: application/json` get JSON.
 */
import { type Request, type Response, Router } from "express";
import { fill } from "../../src/base/fill.js";
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
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
      const message = "the address has no parameter vl, which a receipt's QR code has";
      refuse(request, response, { problem: "noParameter", message, values: {} });
      return;
    }
    try {
      const verdict = verify(request.originalUrl, records);
      answer(request, response, verdict, (language) => verdictPage(verdict, language, zone));
    } catch (error) {
      if (!(error instanceof VerificationUrlError)) throw error;
      refuse(request, response, error);
    }
  });
  return router;
}

/** Answers a wrong address with 400. Programs get the message in English, like every API error. */
function refuse(request: Request, response: Response, broken: BrokenAddress): void {
  response.status(400);
  answer(request, response, { message: broken.message }, (language) => brokenPage(broken, language));
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

function brokenPage(broken: BrokenAddress, language: ReceiptLanguage): string {
  const { notAReceipt } = VERIFICATION_TEXTS[language];
  const body = `<p class="verdict invalid">${notAReceipt}</p>\n<p>${html(brokenAddressText(language, broken))}</p>`;
  return page(notAReceipt, body, STYLE, language);
}

function verdictPage(
  { isValid, checks, invoiceRequest, invoiceResult, journal }: ReceiptVerdict,
  language: ReceiptLanguage,
  zone: string,
): string {
  const texts = VERIFICATION_TEXTS[language];
  const word = isValid ? "valid" : "invalid";
  const receipt =
    journal === null
      ? ""
      : `<section aria-label="${texts.receipt}"><h2>${texts.receipt}</h2>\n<pre>${html(journal)}</pre></section>`;
  const { taxId, businessName, requestedBy, invoiceType, transactionType, buyer } = invoiceRequest;
  const { signedBy, totalAmount, transactionTypeCounter, totalCounter, sdcTime } = invoiceResult;
  // An amount has four decimals. The page does not show the last two of them if they are zeros.
  const amount = totalAmount.toFixed(4).replace(/0{1,2}$/, "");
  const types = [INVOICE_TYPE_NAMES[invoiceType], TRANSACTION_TYPE_NAMES[transactionType]];
  const invoiceRows: ReceiptRow[] = [
    [texts.taxpayer, taxId === null ? texts.notRegistered : `${businessName}, ${taxId}`],
    [texts.number, invoiceResult.invoiceNumber],
    [texts.signer, requestedBy === signedBy ? "" : fill(texts.onlineService, { uid: signedBy })],
    [texts.type, types.map((name) => name && (texts[name] ?? name)).join(" ")],
    [texts.totalAmount, language === "en-US" ? amount : amount.replace(".", ",")],
    [texts.time, `${timeIn(zone, sdcTime)} (${zone})`],
    [texts.buyer, buyer ?? ""],
    [texts.counters, `${transactionTypeCounter}/${totalCounter}`],
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
