/** The authority's pages for people: taxpayers, packages with their verdicts, gaps, and the upload for sticks. */
import { type Response as Answer, type RequestHandler, Router, raw } from "express";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { toFixed } from "../../src/fiscal/money.js";
import { toIso } from "../../src/fiscal/time.js";
import { CallError } from "../../src/http/call-errors.js";
import { HttpError } from "../../src/http/errors.js";
import { html, PAGE_POLICY, page } from "../../src/http/html.js";
import type { PackageRecord } from "./package-store.js";
import { rangeText } from "./prove-audit.js";
import type { Card } from "./registered.js";
import { commandsFile, type DeliveredFile, takeStick } from "./stick.js";
import type { TaxOffice } from "./tax-office.js";

/** Policy that lets the pages post only to this server. The form that uploads a stick's files posts to it. */
const POLICY = PAGE_POLICY.replace("form-action 'none'", "form-action 'self'");
const PAGE_ROWS = 200;
/** Maximum size of an uploaded stick. It is enough for some thousand packages. */
const MOST_STICK_BYTES = 64 * 1024 * 1024;
/** Maximum size of an uploaded file. It is enough for one package, like the limit of the API. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;

/** The meaning of each status, for people. */
export const STATUS_WORDS: Readonly<Record<number, string>> = {
  [PACKAGE_STATUS.notVerifiedYet]: "not verified yet",
  [PACKAGE_STATUS.signatureValid]: "signature valid, not verified yet",
  [PACKAGE_STATUS.signatureInvalid]: "signature invalid",
  [PACKAGE_STATUS.internalDataWrong]: "internal data or result wrong",
  [PACKAGE_STATUS.verified]: "verified",
  [PACKAGE_STATUS.rateGroupUnknown]: "rate group unknown, or taxes wrong",
  [PACKAGE_STATUS.certificateRevoked]: "certificate revoked",
};

export function pagesRouter(office: TaxOffice): Router {
  const router = Router();
  router.get("/", (_request, response) => send(response, "Emulated tax authority", overview(office)));
  router.get("/cards/:uid", (request, response) => {
    const card = office.card(request.params.uid);
    const before = Number(request.query.before ?? Number.POSITIVE_INFINITY);
    send(response, `Card ${card.uid}`, cardPage(office, card, Number.isNaN(before) ? 0 : before));
  });
  router.post("/stick", oneAtATime(), raw({ type: () => true, limit: MOST_STICK_BYTES }), async (request, response) => {
    const files = await formFiles(request.body, request.get("content-type") ?? "");
    send(response, "Files of a stick", takenPage(office, files));
  });
  router.put("/stick/:file", raw({ type: () => true, limit: MOST_FILE_BYTES }), (request, response) => {
    const bytes: unknown = request.body;
    const [taken] = takeStick(office, [
      { name: request.params.file, bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0) },
    ]);
    if (!taken)
      throw new CallError(400, "Unknown file name; expected {UID}.results, {UID}-{UID}-{counter}.json or {UID}.arp");
    response.json(taken);
  });
  router.get("/stick/:file", (request, response) => {
    const { file } = request.params;
    if (!file.endsWith(COMMANDS)) throw new CallError(404, "Unknown file; only {UID}.commands can be downloaded");
    response.setHeader("Content-Disposition", "attachment");
    response.json(commandsFile(office, file.slice(0, -COMMANDS.length)));
  });
  return router;
}

const COMMANDS = ".commands";

/** Refuses an upload during another one, because the server holds a whole stick in memory. */
function oneAtATime(): RequestHandler {
  let busy = false;
  return (_request, response, next) => {
    if (busy) throw new HttpError(503, "body", "Another stick is being uploaded; try again in a moment");
    busy = true;
    response.once("close", () => {
      busy = false;
    });
    next();
  };
}

function send(response: Answer, title: string, body: string): void {
  response.setHeader("Content-Security-Policy", POLICY);
  response.setHeader("Cache-Control", "no-store");
  response.type("html").send(page(title, `<h1>${html(title)}</h1>\n${body}`));
}

/** Reads a form (RFC 7578). @throws CallError 400 if the body is not a form with files */
async function formFiles(body: unknown, type: string): Promise<DeliveredFile[]> {
  if (!Buffer.isBuffer(body)) throw new CallError(400, "The form has no files; choose the card's folder of a stick");
  let form: FormData;
  try {
    form = await new Response(body, { headers: { "Content-Type": type } }).formData();
  } catch {
    throw new CallError(400, "This is not a form with files (multipart/form-data)");
  }
  const files = [...form.values()].filter((value) => typeof value !== "string");
  return Promise.all(
    files.map(async (file) => ({
      name: file.name.split(/[\\/]/).at(-1) ?? "",
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: "th" | "td", row: readonly string[]) => row.map((cell) => `<${tag}>${cell}</${tag}>`).join("");
  const lines = rows.map((row) => `<tr>${cells("td", row)}</tr>`);
  return `<table><thead><tr>${cells("th", head)}</tr></thead>\n<tbody>\n${lines.join("\n")}\n</tbody></table>`;
}

function overview(office: TaxOffice): string {
  const rows = office.cards.map(({ uid, contact }) => {
    const holder = office.holder(uid);
    const packages = office.packages(uid);
    const wrong = packages.filter(({ status }) => status !== PACKAGE_STATUS.verified).length;
    return [
      `<a href="/cards/${encodeURIComponent(uid)}">${html(uid)}</a>`,
      holder ? html(`${holder.businessName}, ${holder.tin}`) : "certificate not registered",
      String(packages.length),
      wrong === 0 ? "none" : String(wrong),
      gapText(office, uid),
      contact ? `${contact.online ? "online" : "offline"}, ${time(contact.at)}` : "never",
    ];
  });
  const head = ["Card", "Taxpayer", "Packages", "Not verified", "Gaps", "Last contact"];
  return `${rows.length === 0 ? "<p>No card is registered.</p>" : table(head, rows)}
<h2>Audit without internet</h2>
<p>Choose the card's folder on a stick. The next page has the file with the authority's commands.</p>
<form method="post" action="/stick" enctype="multipart/form-data">
<input type="file" name="files" aria-label="Files of a stick" multiple webkitdirectory required>
<button>Upload files</button>
</form>`;
}

function gapText(office: TaxOffice, uid: string): string {
  const gaps = office.gaps(uid);
  return gaps.length === 0 ? "none" : html(gaps.slice(0, 20).map(rangeText).join(", "));
}

function cardPage(office: TaxOffice, card: Card, before: number): string {
  const { uid, revokedAt, proofs, explained, claim } = card;
  const holder = office.holder(uid);
  const missing = office.missing(uid);
  const facts: readonly (readonly [string, string])[] = [
    [
      "Taxpayer",
      holder ? html(`${holder.businessName}, ${holder.tin}, ${holder.locationName}`) : "certificate not registered",
    ],
    ["Certificate", revokedAt === undefined ? "in force" : `revoked, ${time(revokedAt)}`],
    ["Gaps", gapText(office, uid)],
    ["Explained", explained.map((one) => html(`${rangeText(one)}: ${one.reason}`)).join("<br>") || "none"],
    ["Waiting proof", claim ? html(`${money(claim.sum)}: ${missing ?? "made"}`) : "none"],
    [
      "Commands",
      `<a href="/stick/${encodeURIComponent(uid)}${COMMANDS}">${html(uid)}${COMMANDS}</a>, ${office.commands(uid).length} waiting`,
    ],
  ];
  const packages = office.packages(uid);
  const shown = packages
    .filter(({ counter }) => counter < before)
    .slice(-PAGE_ROWS)
    .toReversed();
  const oldest = shown.at(-1)?.counter ?? 0;
  const older = packages.some(({ counter }) => counter < oldest);
  return `<table><tbody>${facts.map(([name, text]) => `<tr><th scope="row">${name}</th><td>${text}</td></tr>`).join("\n")}</tbody></table>
<h2>Audits</h2>
${
  proofs.length === 0
    ? "<p>None.</p>"
    : table(
        ["Sum", "Up to counter", "Reported"],
        proofs.map(({ sum, upTo, accepted }) => [money(sum), String(upTo), REPORTS[String(accepted)] ?? ""]),
      )
}
<h2>Packages</h2>
${shown.length === 0 ? "<p>None.</p>" : table(["Invoice", "Time", "Amount", "Verdict"], shown.map(packageRow))}
${older ? `<p><a href="?before=${oldest}">Older packages</a></p>` : ""}
<p><a href="/">All cards</a></p>`;
}

const REPORTS: Readonly<Record<string, string>> = {
  true: "the card took the proof",
  false: "the card refused the proof",
  undefined: "not yet",
};

function packageRow({ number, time: at, totalAmount, status, findings }: PackageRecord): string[] {
  const verdict = [STATUS_WORDS[status] ?? "unknown", ...findings].map(html).join("<br>");
  return [html(number), time(at), money(totalAmount), `${status}: ${verdict}`];
}

function takenPage(office: TaxOffice, files: readonly DeliveredFile[]): string {
  const taken = takeStick(office, files);
  const uids = [...new Set(taken.map(({ uid }) => uid))].filter((uid) => office.cards.some((card) => card.uid === uid));
  const links = uids.map(
    (uid) => `<li><a href="/stick/${encodeURIComponent(uid)}${COMMANDS}">${html(uid)}${COMMANDS}</a></li>`,
  );
  const rows = taken.map(({ name, outcome }) => [html(name), html(outcome)]);
  return `${table(["File", "Result"], rows)}
<p>${files.length - taken.length} other files were ignored.</p>
<h2>Back to the stick</h2>
<ul>${links.join("\n")}</ul>
<p><a href="/">All cards</a></p>`;
}

const money = (amount: bigint) => toFixed(amount, 2);
const time = (ms: number) => toIso(ms).replace("T", " ").replace("Z", " UTC");
