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
  pre { box-sizing: border-box; max-width: 100%; font-size: min(0.875rem, 3.3vw); }
  .verdict { font-size: 1.5rem; font-weight: 700; padding: 0.5rem 1rem; border-radius: 0.4rem; color: #fff; }
  .valid { background: #1a7f37; } .invalid { background: #b42318; }
  pre { width: max-content; max-width: 100%; white-space: pre; overflow-x: auto; }`;

function brokenPage(message: string): string {
  return page("Not a receipt", `<p class="verdict invalid">Not a receipt</p>\n<p>${html(message)}</p>`, STYLE);
}

function verdictPage({ valid, checks, invoice, taxpayer, journal }: Verdict): string {
  const word = valid ? "valid" : "invalid";
  const said = (check: boolean | null, none: string) => (check === null ? none : check ? "right" : "wrong");
  const rows: [string, string][] = [
    ["Taxpayer", taxpayer ? `${taxpayer.businessName}, ${taxpayer.tin}` : "not registered here"],
    ["Invoice number", invoice.invoiceNumber],
    ["Type", `${invoice.invoiceType} ${invoice.transactionType}`],
    ["Total amount", invoice.totalAmount],
    ["Time", invoice.time],
    ["Buyer", invoice.buyerId],
    ["Counters", `${invoice.transactionTypeCounter}/${invoice.totalCounter}`],
    ["Hash", said(checks.hash, "none in this version")],
    ["Signature", said(checks.signature, "not checked, the card is not known here")],
    ["Internal data", said(checks.internalData, "")],
  ];
  const table = rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${html(value)}</td></tr>`).join("\n");
  return page(
    `This receipt is ${word}`,
    `<h1>Emulated tax authority</h1>
<p class="verdict ${word}" role="status">This receipt is ${word}</p>
<table><tbody>
${table}
</tbody></table>
${journal === null ? "" : `<h2>The receipt</h2>\n<pre>${html(journal)}</pre>`}`,
    STYLE,
  );
}
