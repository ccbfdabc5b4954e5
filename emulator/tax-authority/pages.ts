/** The authority's pages for people: the upload for sticks, and the commands for them. */
import { type Response as Answer, type RequestHandler, Router, raw } from "express";
import { CallError } from "../../src/http/call-errors.js";
import { HttpError } from "../../src/http/errors.js";
import { html, PAGE_POLICY, page } from "../../src/http/html.js";
import { commandsFile, type DeliveredFile, takeStick } from "./stick.js";
import type { TaxOffice } from "./tax-office.js";

/** Policy that lets the pages post only to this server. The form that uploads a stick's files posts to it. */
const POLICY = PAGE_POLICY.replace("form-action 'none'", "form-action 'self'");
/** Maximum size of an uploaded stick. It is enough for some thousand packages. */
const MOST_STICK_BYTES = 64 * 1024 * 1024;
/** Maximum size of an uploaded file. It is enough for one package, like the limit of the API. */
const MOST_FILE_BYTES = 8 * 1024 * 1024;

export function pagesRouter(office: TaxOffice): Router {
  const router = Router();
  router.get("/", (_request, response) => send(response, "Emulated tax authority", startPage(office)));
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

function startPage(office: TaxOffice): string {
  return `<h2>Audit without internet</h2>
<p>Choose the card's folder on a stick. The next page has the file with the authority's commands.</p>
<form method="post" action="/stick" enctype="multipart/form-data">
<input type="file" name="files" aria-label="Files of a stick" multiple webkitdirectory required>
<button>Upload files</button>
</form>
<h2>Commands for a stick</h2>
${commandLinks(office.cards.map(({ uid }) => uid)) || "<p>No card is registered.</p>"}`;
}

function commandLinks(uids: readonly string[]): string {
  const links = uids.map(
    (uid) => `<li><a href="/stick/${encodeURIComponent(uid)}${COMMANDS}">${html(uid)}${COMMANDS}</a></li>`,
  );
  return links.length === 0 ? "" : `<ul>${links.join("\n")}</ul>`;
}

function takenPage(office: TaxOffice, files: readonly DeliveredFile[]): string {
  const taken = takeStick(office, files);
  const uids = [...new Set(taken.map(({ uid }) => uid))].filter((uid) => office.cards.some((card) => card.uid === uid));
  const rows = taken.map(({ name, outcome }) => `<tr><td>${html(name)}</td><td>${html(outcome)}</td></tr>`);
  return `<table><thead><tr><th>File</th><th>Result</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>
<p>${files.length - taken.length} other files were ignored.</p>
<h2>Back to the stick</h2>
${commandLinks(uids)}
<p><a href="/">Start page</a></p>`;
}
