/** The emulated authority's page behind the QR code: `/v/?vl=...`, for people and, with `Accept: application/json`, for programs. */
import { type Request, type Response, Router } from "express";
import { VerificationUrlError } from "../../src/fiscal/verification-url.js";
import { html, PAGE_POLICY, page } from "../../src/http/html.js";
import { type AuthorityRecords, type Verdict, verify } from "./verification.js";

/** What stands in front of the base64, below the address of the service. */
export const VERIFICATION_PATH = "/v/?vl=";

export function verificationRouter(records: AuthorityRecords): Router {
  const router = Router();
  router.get("/v", (request, response) => {
    response.setHeader("Content-Security-Policy", PAGE_POLICY);
    response.setHeader("Cache-Control", "no-store");
    if (request.query.vl === undefined) {
      answer(request, response, 400, { message: "the address has no parameter vl, which a receipt's QR code has" });
      return;
    }
    try {
      answer(request, response, 200, verify(request.originalUrl, records));
    } catch (error) {
      if (!(error instanceof VerificationUrlError)) throw error;
      answer(request, response, 400, { message: error.message });
    }
  });
  return router;
}

function answer(request: Request, response: Response, status: number, found: Verdict | { message: string }): void {
  response.status(status);
  if (request.accepts(["html", "json"]) === "json") response.json(found);
  else response.type("html").send("message" in found ? brokenPage(found.message) : verdictPage(found));
}

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
    font-size: min(0.85rem, 3vw); background: #fff; color: #111; border-radius: 0; }`;

function brokenPage(message: string): string {
  return page("Not a receipt", `<p class="verdict invalid">Not a receipt</p>\n<p>${html(message)}</p>`, STYLE);
}

function verdictPage({ valid, checks, invoice, taxpayer, journal }: Verdict): string {
  const word = valid ? "valid" : "invalid";
  const receipt =
    journal === null ? "" : `<section aria-label="Receipt"><h2>Receipt</h2>\n<pre>${html(journal)}</pre></section>`;
  return page(
    `This receipt is ${word}`,
    `<h1>Emulated tax authority</h1>
<p class="verdict ${word}" role="status">This receipt is ${word}</p>
<div class="sides">
<div class="sides">
${section("Invoice", [
  ["Taxpayer", taxpayer ? `${taxpayer.businessName}, ${taxpayer.tin}` : "not registered here"],
  ["Number", invoice.invoiceNumber],
  ["Type", `${invoice.invoiceType} ${invoice.transactionType}`],
  // A card has four decimals; the last two are seldom more than zeros.
  ["Total amount", invoice.totalAmount.replace(/0{1,2}$/, "")],
  ["Time", `${invoice.time.replace("T", " ").replace("Z", "")} UTC`],
  ["Buyer", invoice.buyerId],
  ["Counters", `${invoice.transactionTypeCounter}/${invoice.totalCounter}`],
])}
${section("Checks", [
  ["Hash", checks.hash ?? "none in this version"],
  ["Signature", checks.signature ?? "not checked, the card is not known here"],
  ["Internal data", checks.internalData],
])}
</div>
${receipt}
</div>`,
    STYLE,
  );
}

function section(title: string, rows: readonly (readonly [name: string, value: string | boolean])[]): string {
  const lines = rows.filter(([, value]) => value !== "");
  return `<section aria-label="${title}"><h2>${title}</h2>
<table><tbody>
${lines.map(([name, value]) => `<tr><th scope="row">${name}</th>${cell(value)}</tr>`).join("\n")}
</tbody></table></section>`;
}

function cell(value: string | boolean): string {
  if (typeof value === "string") return `<td>${html(value)}</td>`;
  return value ? '<td class="right">right</td>' : '<td class="wrong">wrong</td>';
}
