/** The payloads of commands (protocol facts, section 8; docs/authority-api.md). Pure. */

import { messageOf } from "../base/thrown.js";
import { rateGroupOf, SENT_SCHEMAS } from "../config/environment.js";
import type { EnvironmentParameters, RateGroupFile } from "../fiscal/environment.js";
import { groupContradictions, rootWithoutParameter } from "../fiscal/environment-rules.js";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../fiscal/language.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { compileSchema, explainErrors } from "../schema/validator.js";

/** Characters: a message goes into the store and into the log. */
const LONGEST_MESSAGE = 500;

/** The message says what is wrong, for people; of many errors it names the first. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";

  constructor(message: string) {
    super(message.slice(0, LONGEST_MESSAGE));
  }
}

/** Longest address that is accepted, in characters. */
const LONGEST_ADDRESS = 2_000;
const ADDRESS = /^[a-z]+:\/\/[\x21-\x7e]+$/i;
const LINE = /^\P{Cc}{1,500}$/u;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

const isRateGroup = compileSchema<RateGroupFile>(SENT_SCHEMAS.rateGroup);
const isParameters = compileSchema<EnvironmentParameters>(SENT_SCHEMAS.parameters);

/**
 * One group of rates or several; fields that are not known are ignored.
 * @returns them as `taxRates` of an environment's file has them, at least one
 * @throws PayloadError
 */
export function ratesIn(payload: string): readonly RateGroupFile[] {
  const content = jsonIn(payload);
  const groups: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (groups.length === 0) throw new PayloadError("the payload has no group of tax rates");
  return groups.map((group, i) => {
    const wrong = isRateGroup(group) ? groupContradictions(group) : explainErrors(isRateGroup.errors);
    if (wrong.length > 0) throw new PayloadError(`group ${i + 1}: ${wrong.join("; ")}`);
    return withKnownFields(group as RateGroupFile);
  });
}

/** Keeps only the fields of an environment file, which accepts no others. */
export function withKnownFields({ groupId, validFrom, taxCategories }: RateGroupFile): RateGroupFile {
  return {
    groupId,
    validFrom,
    taxCategories: taxCategories.map(({ name, categoryType, orderId, taxRates }) => ({
      name,
      categoryType,
      orderId,
      taxRates: taxRates.map(({ label, rate }) => ({ label, rate })),
    })),
  };
}

/** @throws PayloadError for a rate with more than 4 decimals */
export function groupIn(file: RateGroupFile): TaxRateGroup {
  try {
    return rateGroupOf(file, `group ${file.groupId}`);
  } catch (error) {
    throw new PayloadError(messageOf(error));
  }
}

/**
 * Unknown languages and unknown fields are left out. The address of the authority's API may be called `taxCoreApi`.
 * @throws PayloadError
 */
export function parametersIn(payload: string): EnvironmentParameters {
  const content = knownNames(jsonIn(payload));
  if (!isParameters(content)) throw new PayloadError(explainErrors(isParameters.errors).join("; "));
  const wrong = rootWithoutParameter(content.endpoints.root, "endpoints.root");
  if (wrong.length > 0) throw new PayloadError(wrong.join("; "));
  for (const name of ["organizationName", "street", "city", "environmentName"] as const) {
    if (!LINE.test(content[name])) throw new PayloadError(`${name} is not a line of text`);
  }
  const { organizationName, serverTimeZone, street, city, country, environmentName, logo, ntpServer } = content;
  const { taxpayerAdminPortal, taxAuthorityApi, vsdc, root } = content.endpoints;
  return {
    organizationName,
    serverTimeZone,
    street,
    city,
    country,
    environmentName,
    logo,
    ntpServer,
    endpoints: { taxpayerAdminPortal, taxAuthorityApi, vsdc, root },
    supportedLanguages: content.supportedLanguages,
  };
}

function knownNames(content: unknown): unknown {
  if (!isRecord(content)) return content;
  const { endpoints, supportedLanguages } = content;
  const known: readonly unknown[] = Array.isArray(supportedLanguages)
    ? [...new Set(supportedLanguages)].filter((language) => RECEIPT_LANGUAGES.includes(language as ReceiptLanguage))
    : [];
  return {
    ...content,
    ...(isRecord(endpoints) ? { endpoints: { taxAuthorityApi: endpoints.taxCoreApi, ...endpoints } } : {}),
    ...(Array.isArray(supportedLanguages) ? { supportedLanguages: known } : {}),
  };
}

/** An address or a host name; the scheme is `ntp`. @throws PayloadError */
export function timeServerIn(payload: string): string {
  const text = textIn(payload);
  return addressIn(HOST.test(text) ? `ntp://${text}` : text);
}

/** @throws PayloadError */
export function verificationRootIn(payload: string): string {
  const address = addressIn(textIn(payload));
  const wrong = rootWithoutParameter(address, "the address");
  if (wrong.length > 0) throw new PayloadError(wrong.join("; "));
  return address;
}

/** Base64, as text or as a JSON string. @throws PayloadError */
export function bytesIn(payload: string): Uint8Array {
  const text = textIn(payload);
  if (!BASE64.test(text)) throw new PayloadError("the payload is not base64");
  return Buffer.from(text, "base64");
}

function addressIn(text: string): string {
  if (text.length > LONGEST_ADDRESS || !ADDRESS.test(text) || !URL.canParse(text)) {
    throw new PayloadError(`the payload is not an address: ${text.slice(0, 100)}`);
  }
  return text;
}

/** A JSON string, or the text itself. */
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

function isRecord(content: unknown): content is Record<string, unknown> {
  return typeof content === "object" && content !== null && !Array.isArray(content);
}
