/** Writes the answer that a scenario expects in the form of devices, so that a scenario need not be written twice. */
import { bareStatus, refusedPinStatus } from "../../src/fiscal/answer-form.js";
import type { ExpectedAnswer } from "./scenario.js";

/** The code of a refused PIN, alone, as JSON or as text. */
const REFUSED_PIN = /^"?21[01]0"?$/;

/**
 * Returns the answer in the form of devices: an error with a bare code is expected as this code, and a refused PIN with
 * HTTP 423. All other answers are the same in both forms.
 */
export function inDeviceForm<E extends ExpectedAnswer>(expected: E): E | ExpectedAnswer {
  const { json, ...rest } = expected;
  const alone = rest.text ?? json;
  if (rest.status === 200 && typeof alone === "string" && REFUSED_PIN.test(alone)) {
    return { ...expected, status: refusedPinStatus("device") };
  }
  const { code } = typeof json === "object" && json !== null ? (json as { readonly code?: unknown }) : {};
  const status = rest.status !== 503 && typeof code === "string" ? bareStatus("device", code) : undefined;
  if (status === undefined) return expected;
  return { ...rest, ...(rest.status === undefined ? {} : { status }), text: code };
}
