/** Reads what a till has sent, with the invoice in the interface's own spelling: "normal", 0 and "Normal" are the same type. */
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { parseJson } from "../../src/http/body.js";
import { LIMITS } from "../../src/http/limits.js";
import { normaliseInvoice } from "../../src/http/normalise-invoice.js";
import { maskedBody } from "../../src/http/traffic/mask.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { JsonNumber } from "../../src/schema/decimal.js";
import { jsonSize } from "../../src/schema/validator.js";
import type { Caller } from "../../src/secure-element/secure-element.js";
import type { FaultWhere } from "./fault.js";

const INVOICES_PATH = /\/invoices\/?(\?|$)/i;

/** A request before its answer, for the faults that it causes; undefined if no till has sent it. */
export function requestInWork(traffic: TrafficLog, by: Caller | undefined): FaultWhere | undefined {
  const entry = by && traffic.entryOf(by);
  if (!entry) return undefined;
  const body = "body" in by && Buffer.isBuffer(by.body) ? maskedBody(entry.path, by.body.toString("utf8")) : "";
  const requestId = requestIdOf(entry);
  const isEarlier = (other: TrafficEntry) => other.id < entry.id && requestIdOf(other) === requestId;
  return { ...requestFields({ ...entry, body }), repeat: requestId !== null && traffic.entries.some(isEarlier) };
}

const requestIdOf = ({ headers }: TrafficEntry) => String(headers.requestid ?? "").trim() || null;

export function requestFields(entry: TrafficEntry) {
  const { method, path, body } = entry;
  return {
    method,
    path,
    requestId: requestIdOf(entry),
    body: readable(body),
    invoice: method === "POST" && INVOICES_PATH.test(path) ? invoiceIn(body) : null,
  };
}

/** Returns the value of a JSON text. Other text stays text, and so does JSON nested deeper than the service reads. */
export function readable(text: string): unknown {
  if (text === "") return null;
  if (jsonSize(text).depth > LIMITS.depth.value) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns the invoice in a body, or null if the body is not an invoice that can be read. */
function invoiceIn(text: string): unknown {
  try {
    const invoice = sentInvoice(text);
    return typeof invoice === "object" ? invoice : null;
  } catch (error) {
    if (error instanceof FiscalError) return null;
    throw error;
  }
}

/**
 * Reads an invoice from the text of a body. The result has no fields that are null or empty; its amounts are numbers.
 * @throws FiscalError if the text is not JSON, or has a property twice in different spelling
 */
export function sentInvoice(text: string): unknown {
  return plainNumbers(normaliseInvoice(parseJson(text)));
}

function plainNumbers(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plainNumbers(entry)]));
}
