/** Sells a coffee at an emulator, as a POS does. A service with a real card gets neither the PIN nor the sale. */
import { UserError } from "../../src/base/user-error.js";
import type { RateGroupFile } from "../../src/fiscal/environment.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { codesIn, fieldsOf, jsonIn } from "../scenario/json.js";
import { SAMPLE_SALE } from "../scenario/step-request.js";

/** The emulated card signs within one second. */
const ANSWER_LIMIT_MS = 30_000;
/** Code with which the service refuses a sale before the PIN was verified. */
const PIN_REQUIRED = "1500";

interface SampleAnswer {
  readonly status: number;
  readonly text: string;
  /** The answer to the PIN; undefined if no PIN was sent. */
  readonly pin?: string;
}

/**
 * Sells once, with the first label in force.
 * @param service base URL, without /api/v3
 * @throws UserError if no emulator answers
 */
export async function sellSample(service: string, pin: string): Promise<SampleAnswer> {
  const { card } = await read<{ card: string }>(`${service}/console/info`);
  if (card !== "emulator")
    throw new UserError(`the service at ${service} gets no sample invoice: it has a real card, or is not tillseal`);
  const { currentTaxRates } = await read<{ currentTaxRates: Pick<RateGroupFile, "taxCategories"> }>(
    `${service}${API_PREFIX}/status`,
  );
  const labels = currentTaxRates?.taxCategories.flatMap(({ taxRates }) => taxRates.map(({ label }) => label)) ?? [];
  const items = SAMPLE_SALE.items.map((item) => ({ ...item, labels: labels.slice(0, 1) }));
  const sell = () => send(`${service}${API_PREFIX}/invoices`, { ...SAMPLE_SALE, items });
  const first = await sell();
  if (!refusalCodes(first).includes(PIN_REQUIRED)) return first;
  const { text } = await send(`${service}${API_PREFIX}/pin`, { pin });
  // If the service refused the PIN, another sale would get the same answer.
  return { ...(text.includes("0100") ? await sell() : first), pin: text };
}

/** @param content posted as JSON; undefined for GET */
async function send(url: string, content?: object): Promise<SampleAnswer> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const headers = { "Content-Type": "application/json" };
  const posted = content === undefined ? {} : { method: "POST", headers, body: JSON.stringify(content) };
  try {
    const answer = await fetch(url, { ...posted, signal });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    const { origin } = new URL(url);
    const code = (error as { cause?: { code?: unknown } }).cause?.code;
    if (code === "UND_ERR_SOCKET" || code === "ECONNRESET")
      throw new UserError(
        `the connection to ${origin} was cut before the answer; the sale may have been signed: see ${origin}/#/receipts`,
      );
    throw new UserError(`no service answers at ${origin}; start one with tillseal serve`);
  }
}

/** @returns nothing if the answer is not JSON, because the service may be another program */
async function read<Content extends object>(url: string): Promise<Partial<Content>> {
  return fieldsOf(jsonIn((await send(url)).text)) as Partial<Content>;
}

export function refusalCodes({ status, text, pin = "" }: SampleAnswer): readonly string[] {
  return status < 400 ? [] : [...new Set([...codesIn(text), ...codesIn(pin)])];
}
