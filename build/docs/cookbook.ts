/** The answers on docs/cookbook.md. The page has the requests; the emulator signs their receipts, so a changed receipt changes the page. */
import { World } from "../../emulator/world/world.js";

/** A request of the page, and its answer: a receipt, or a sentence with the code of the refusal. */
const EXAMPLE = /(```json\n(?:RequestId: (\S+)\n\n)?([^`]+)```\n\n)(?:```text\n[^`]*```|The answer is .*)/g;
/** What is the same on each receipt: the title, the taxpayer, and the last line. */
const SAME = /^[\s\S]*?(?=^Cashier TIN:)|\n=+\n=+ [^\n]* =+\s*$/gm;

/** Returns the page with the answers to its requests, which are posted in order: later ones name earlier receipts. */
export async function withAnswers(page: string): Promise<string> {
  const world = await World.open({
    clock: { at: "2026-11-23T09:00:00Z", ticking: false },
    card: { pinVerified: true },
  });
  try {
    const answers: string[] = [];
    for (const [, request = "", requestId, body = ""] of page.matchAll(EXAMPLE))
      answers.push(`${request}${await answerTo(world.url, requestId, body)}`);
    return page.replaceAll(EXAMPLE, () => answers.shift() ?? "");
  } finally {
    await world.close();
  }
}

async function answerTo(url: string, requestId: string | undefined, body: string): Promise<string> {
  const id: Record<string, string> = requestId === undefined ? {} : { RequestId: requestId };
  const headers = { "Content-Type": "application/json", "Accept-Language": "en-US", ...id };
  const response = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers, body });
  const { journal, code } = (await response.json()) as { readonly journal?: string; readonly code?: string };
  if (journal === undefined) return `The answer is ${response.status} with \`${code}\`.`;
  const receipt = journal.replaceAll("\r\n", "\n").replaceAll(SAME, "").replaceAll(/ +$/gm, "").trimEnd();
  return `\`\`\`text\n${receipt}\n\`\`\``;
}
