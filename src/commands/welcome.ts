/** What `tillseal serve` prints at its start. */
import { API_PREFIX } from "../http/endpoints.js";
import { nearby } from "../http/listen.js";
import type { Running } from "./running.js";

/**
 * The service's address, the card, the PIN, commands for a first sale that can be pasted, and the console's address.
 * @param platform decides which shells must understand the commands: on Windows both cmd and PowerShell, whose `curl`
 * is another program
 */
export function welcome(
  { url, card, pin, control }: Pick<Running, "url" | "card" | "pin" | "control">,
  platform: NodeJS.Platform = process.platform,
): string {
  const here = nearby(url);
  const api = here + API_PREFIX;
  const curl = platform === "win32" ? "curl.exe" : "curl";
  const lines = [`tillseal listens on ${url}${API_PREFIX}`, `card: ${card}`];
  if (pin === undefined) {
    lines.push("verify the PIN, then post invoices:", `  ${curl} -d PIN ${api}/pin`);
  } else {
    lines.push(`PIN of the emulated card: ${pin}. A first signed invoice:`);
    const verify = (nowhere: string) => `${curl} -s -o ${nowhere} -d ${pin} ${api}/pin`;
    const sell = `${curl} -s -X POST ${api}/test-invoice`;
    // cmd and PowerShell share no separator for commands: print two lines.
    if (platform === "win32") lines.push(`  ${verify("NUL")}`, `  ${sell}`);
    else lines.push(`  ${verify("/dev/null")}; ${sell}`);
  }
  lines.push(`console: ${here}/`);
  const driven = control === undefined ? "" : `${control}/control drives the emulated card. `;
  lines.push(`${driven}Press Ctrl-C to stop`);
  return `${lines.join("\n")}\n`;
}
