/** Lets an emulator sign a sample invoice, as a POS does: it sends the PIN if the service asks for it. */
import { UserError } from "../../src/base/user-error.js";
import { API_PREFIX } from "../../src/http/endpoints.js";

/** ms that we wait for an answer. The emulated card signs within one second. */
const PATIENCE = 30_000;
/** Code with which the service refuses a sale before the PIN was verified. */
const PIN_REQUIRED = "1500";

interface SampleAnswer {
  readonly status: number;
  readonly text: string;
  /** The answer to the PIN; undefined if no PIN was sent. */
  readonly pin?: string;
}

/**
 * Sells once. A service with a real card has no test-invoice, so it never gets the PIN and its card loses no attempt.
 * @param service base URL, without /api/v3
 * @throws UserError if no service answers
 */
export async function sellSample(service: string, pin: string): Promise<SampleAnswer> {
  const first = await post(service, "/test-invoice");
  if (!codesIn(first).includes(PIN_REQUIRED)) return first;
  const { text } = await post(service, "/pin", pin);
  // If the service refused the PIN, another sale would get the same answer.
  return { ...(text.includes("0100") ? await post(service, "/test-invoice") : first), pin: text };
}

async function post(service: string, path: string, body = ""): Promise<SampleAnswer> {
  const signal = AbortSignal.timeout(PATIENCE);
  const headers = { "Content-Type": "text/plain" };
  try {
    const answer = await fetch(service + API_PREFIX + path, { method: "POST", headers, body, signal });
    return { status: answer.status, text: await answer.text() };
  } catch {
    throw new UserError(`no service answers at ${service}; start one with tillseal serve`);
  }
}

/** The codes of a refusal, in the order of the answer. */
export function codesIn({ status, text }: SampleAnswer): readonly string[] {
  return status < 400 ? [] : [...text.matchAll(/"(\d{4})"/g)].flatMap(([, code]) => code ?? []);
}
