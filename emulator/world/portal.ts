/** Acts as a person at the authority's portal: uploads the files of a stick on a page, and downloads the commands. */
import { UserError } from "../../src/base/user-error.js";
import { exchange } from "../tax-authority/exchange.js";
import type { DeliveredFile } from "../tax-authority/stick.js";
import type { TaxAuthorityServer } from "../tax-authority/tax-authority-server.js";

type Portal = Pick<TaxAuthorityServer, "url" | "caCertificate">;

/** With the form of the start page. @returns the HTML of the next page @throws UserError if a file is refused */
export async function uploadStick(portal: Portal, files: readonly DeliveredFile[]): Promise<string> {
  const form = new FormData();
  for (const { name, bytes } of files) form.append("files", new Blob([new Uint8Array(bytes)]), name);
  const posted = new Request("https://localhost/", { method: "POST", body: form });
  const body = Buffer.from(await posted.arrayBuffer());
  const page = await call(portal, "POST", "/stick", body, posted.headers.get("content-type") ?? "");
  const refused = [...page.matchAll(/<td>([^<]*)<\/td><td>(refused: [^<]*)<\/td>/g)];
  if (refused.length > 0) throw new UserError(refused.map(([, name, reason]) => `${name}: ${reason}`).join("; "));
  return page;
}

/** Follows the link on a page. @throws UserError if the page has no such link */
export async function downloadCommands(portal: Portal, page: string, uid: string): Promise<string> {
  const link = [...page.matchAll(/href="(\/stick\/[^"]+\.commands)"/g)].find(([, href = ""]) => href.includes(uid));
  if (!link?.[1]) throw new UserError(`the portal offers no commands for ${uid}`);
  return call(portal, "GET", link[1]);
}

async function call(portal: Portal, method: string, path: string, body?: Buffer, type?: string): Promise<string> {
  const headers = type === undefined ? {} : { "Content-Type": type };
  const options = { method, headers, ca: portal.caCertificate };
  const { status, content } = await exchange(new URL(path, portal.url), options, body);
  if (status === 200) return content;
  throw new UserError(`the portal answers ${method} ${path} with ${status}`);
}
