/** Reads the payloads of commands (protocol facts, section 8; docs/authority-api.md). This code is pure. */

import { messageOf } from "../base/thrown.js";
import { sentParameters, sentRateGroups } from "../config/sent-environment.js";
import type { EnvironmentParameters, RateGroupFile } from "../fiscal/environment.js";
import { rootProblems } from "../fiscal/environment-rules.js";
import { timeServerOf } from "../fiscal/time-server.js";

/**
 * Maximum number of characters of a message. It is limited because the message goes into the store and into the log.
 */
const LONGEST_MESSAGE = 500;

/** A payload that is not valid. The message says to people what is wrong; it names the first of several errors. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";

  constructor(message: string) {
    super(message.slice(0, LONGEST_MESSAGE));
  }
}

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

/**
 * Reads the groups of rates in a payload (src/config/sent-environment.ts).
 * @returns at least one group, in the form of `taxRates` in an environment's file
 * @throws PayloadError
 */
export function ratesIn(payload: string): readonly RateGroupFile[] {
  return inPayload(payload, sentRateGroups);
}

/** Reads the environment parameters (src/config/sent-environment.ts). @throws PayloadError */
export function parametersIn(payload: string): EnvironmentParameters {
  return inPayload(payload, sentParameters);
}

function inPayload<T>(payload: string, read: (content: unknown) => T): T {
  const content = jsonIn(payload);
  try {
    return read(content);
  } catch (error) {
    throw new PayloadError(messageOf(error));
  }
}

/** Reads the address or host name of a time server, as the authority sent it. @throws PayloadError */
export function timeServerIn(payload: string): string {
  const text = textIn(payload);
  if (!timeServerOf(text)) throw new PayloadError(`the payload is not a time server: ${text.slice(0, 100)}`);
  return text;
}

/** @throws PayloadError */
export function verificationRootIn(payload: string): string {
  const address = textIn(payload);
  const [wrong] = rootProblems(address, "the address");
  if (wrong !== undefined) throw new PayloadError(wrong);
  return address;
}

/** Reads bytes from base64, which may be plain text or a JSON string. @throws PayloadError */
export function bytesIn(payload: string): Uint8Array {
  const text = textIn(payload);
  if (!BASE64.test(text.trimEnd())) throw new PayloadError("the payload is not base64");
  return Buffer.from(text, "base64");
}

/** Returns the content of a payload that is a JSON string, or else the payload's text itself. */
function textIn(payload: string): string {
  const text = payload.trim();
  if (!text.startsWith('"')) return text;
  const content = jsonIn(text);
  return typeof content === "string" ? content.trim() : text;
}

function jsonIn(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    throw new PayloadError("the payload is not JSON");
  }
}
