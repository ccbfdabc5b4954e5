/**
 * Selects the parts of another maker's answer that an emulator gives, too: those that follow from request, card and
 * tax rates. Texts for people, numbers, signatures and a maker's additional fields are left out or become matchers.
 */
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { codesIn, type Fields, fieldsOf, jsonIn } from "../scenario/json.js";
import { NUMBER, TEXT } from "../scenario/recorded-exchange.js";
import type { ExpectedAnswer } from "../scenario/scenario.js";
import { stateCodes } from "./target-given.js";

/** Matches the paths of the interface, with or without a segment in front. */
const PATH = new RegExp(
  `^(?:/[^/]+)?${API_PREFIX}/(pin|invoices|status|environment-parameters|attention|test-invoice)(?:/([^/]+))?/?$`,
  "i",
);

export type TargetEndpoint = "pin" | "invoices" | "status" | "environment-parameters" | "attention" | "test-invoice";

/**
 * Finds the endpoint of a path.
 * @param path with or without query
 * @returns undefined if the path is not in the interface, such as a path of the console
 */
export function endpointOf(path: string): TargetEndpoint | undefined {
  const [, name] = PATH.exec(path.replace(/[?#].*$/, "")) ?? [];
  return name?.toLowerCase() as TargetEndpoint | undefined;
}

export interface AnswerParts {
  readonly status: number;
  readonly text: string;
}

/** Returns every code of the interface that is in an answer. A target's answer may repeat what a POS has sent. */
export function codesOf({ text }: AnswerParts): string[] {
  const codes = codesIn(text);
  return FISCAL_CODES.filter((code) => codes.includes(code));
}

/** Whether a body is a code alone, as devices send it. */
export const isBareCode = (text: string): boolean => /^\W*\d{4}\W*$/.test(text);

/** Returns what a replay expects. @param groups numbers of the tax rate groups in the recording's environment */
export function portableAnswer(
  endpoint: TargetEndpoint,
  answer: AnswerParts,
  groups: ReadonlySet<number>,
): ExpectedAnswer {
  // We accept 200 instead of 201, because the specification names both as success ("Endpoints").
  const status = answer.status === 201 ? { $range: [200, 201] } : answer.status;
  if (endpoint === "pin") {
    const [code] = codesOf(answer);
    return code === undefined ? { status } : { status, text: { $contains: code } };
  }
  const json = fieldsOf(jsonIn(answer.text));
  if (answer.status >= 400 && isBareCode(answer.text)) return { status, text: { $contains: codesOf(answer)[0] ?? "" } };
  if (answer.status >= 400) return { status, ...refusal(json) };
  if (endpoint === "status") return { status, json: statusPart(json, groups) };
  if (endpoint === "invoices" || endpoint === "test-invoice") return { status, json: invoicePart(json) };
  return { status };
}

function refusal({ code, modelState }: Fields): { readonly json?: object } {
  const states = Array.isArray(modelState) ? (modelState as unknown[]) : [];
  const wrongFields = states.map((state) => {
    const { property, errors } = fieldsOf(state);
    return { property, errors };
  });
  const json = {
    ...(typeof code === "string" ? { code } : {}),
    ...(wrongFields.length > 0 ? { modelState: wrongFields } : {}),
  };
  return Object.keys(json).length === 0 ? {} : { json };
}

/**
 * Codes of card and PIN. We compare the first of them that the status has. We leave out codes about the connection to an
 * authority, because the emulator's world does not include this connection.
 */
const STATE_CODES = ["1300", "1500", "0100"];

function statusPart(json: Fields, groups: ReadonlySet<number>): object {
  const { isPinRequired, currentTaxRates } = json;
  const state = STATE_CODES.find((code) => stateCodes(json).includes(code));
  const { groupId } = fieldsOf(currentTaxRates);
  return {
    ...(typeof isPinRequired === "boolean" ? { isPinRequired } : {}),
    ...(state === undefined ? {} : { gsc: { $contains: state } }),
    ...(typeof groupId === "number" && groups.has(groupId) ? { currentTaxRates: { groupId } } : {}),
  };
}

/** Fields whose values follow from the request and the tax rates. */
const SAME = ["totalAmount", "taxGroupRevision", "invoiceCounterExtension"];
const ITEM_FIELDS = ["categoryType", "categoryName", "label", "rate", "amount"];
const VARYING: Readonly<Record<string, object>> = {
  invoiceNumber: TEXT,
  verificationUrl: TEXT,
  verificationQRCode: TEXT,
  journal: TEXT,
  signature: TEXT,
  totalCounter: NUMBER,
  transactionTypeCounter: NUMBER,
};

function invoicePart(json: Fields): object {
  const { taxItems } = json;
  const varying = Object.entries(VARYING).flatMap(([name, matcher]) => {
    const value = json[name];
    // We keep empty values, because the POS may switch off the QR code and the journal.
    if (value === undefined) return [];
    return [[name, value === null || value === "" ? value : matcher]];
  });
  return {
    ...partOf(json, SAME),
    ...(Object.fromEntries(varying) as object),
    ...(Array.isArray(taxItems) ? { taxItems: taxItems.map((item) => partOf(fieldsOf(item), ITEM_FIELDS)) } : {}),
  };
}

function partOf(fields: Fields, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
