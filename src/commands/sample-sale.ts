/** `tillseal sample sale`: a first signed invoice, without a POS. */
import { Command, Option } from "commander";
import { printable } from "../base/printable.js";
import { UserError } from "../base/user-error.js";
import { API_PREFIX } from "../http/endpoints.js";
import { serviceAddress } from "./remote-address.js";

/** ms; the emulated card signs within one second. */
const PATIENCE = 30_000;
const DEFAULT_URL = "http://localhost:8431";
export const DEFAULT_PIN = "1234";
/** Code of a sale before the PIN was verified. */
const PIN_REQUIRED = "1500";

/** What the command reads of an answer. */
interface Signed {
  readonly invoiceNumber: string;
  /** Null if another service than tillseal answers without it. */
  readonly journal: string | null;
}

export function sampleSaleCommand(): Command {
  return new Command("sale")
    .description("let a running emulator sign a sample invoice, and print the receipt and the address of its page")
    .argument("[url]", "address of the service", DEFAULT_URL)
    .addOption(new Option("--pin <digits>", "PIN of the emulated card").default(DEFAULT_PIN))
    .action(async (url: string, { pin }: { pin: string }) => {
      const service = serviceAddress("<url>", url);
      // A service with a real card has no test-invoice: no attempt is spent there.
      let answer = await post(service, "/test-invoice");
      if ((await codesIn(answer)).includes(PIN_REQUIRED)) {
        await post(service, "/pin", pin);
        answer = await post(service, "/test-invoice");
      }
      if (!answer.ok) throw new UserError(refusal(service, answer.status, await codesIn(answer)));
      const { invoiceNumber, journal } = (await answer.json()) as Signed;
      const text = (journal ?? "").split("\r\n").map(printable);
      process.stdout.write(`${text.join("\n")}\n\n${service}/#/receipts/${encodeURIComponent(invoiceNumber)}\n`);
    });
}

function refusal(service: string, status: number, codes: readonly string[]): string {
  if (status === 404)
    return `the service at ${service} signs no sample invoices: it has a real card, or is not tillseal`;
  return `the service at ${service} refused the sale: status ${status}, codes ${codes.join(", ") || "none"}; docs/codes.md explains them`;
}

async function post(service: string, path: string, body = ""): Promise<Response> {
  const signal = AbortSignal.timeout(PATIENCE);
  const headers = { "Content-Type": "text/plain" };
  const answer = await fetch(service + API_PREFIX + path, { method: "POST", headers, body, signal }).catch(
    () => undefined,
  );
  if (!answer) throw new UserError(`no service answers at ${service}; start one with tillseal serve`);
  return answer;
}

/** The codes of a refusal, in the order of the answer. */
async function codesIn(answer: Response): Promise<readonly string[]> {
  if (answer.ok) return [];
  const text = await answer.clone().text();
  return [...text.matchAll(/"(\d{4})"/g)].flatMap(([, code]) => code ?? []);
}
