/** Checks one entry of a store without the other entries. */
import { type KeyObject, X509Certificate } from "node:crypto";
import { parse } from "lossless-json";
import { invoiceNumber } from "../../fiscal/counters.js";
import { parseScaled, type Scaled, toDecimalText } from "../../fiscal/money.js";
import { type CardSignature, hasAnswerLength, splitSignAnswer } from "../../fiscal/sign-answer.js";
import { isProven } from "../../fiscal/signature.js";
import { decodeSignedHeader, type SignedHeader } from "../../fiscal/signing-header.js";
import { parseTime, toIso } from "../../fiscal/time.js";
import { verificationUrl } from "../../fiscal/verification-url.js";
import { decodeIntent, headerOf, type Intent, requesterOf } from "../../ledger/intent.js";
import type { Entry } from "../../ledger/ledger.js";
import type { StoreReading } from "../../ledger/store-reading.js";

/** A problem that `tillseal verify` finds, and its place in the store. */
export interface EntryFinding {
  /** Id of the entry; undefined if the finding concerns the whole store. */
  readonly id: number | undefined;
  readonly number: string | undefined;
  readonly problem: string;
}

/**
 * The keys for checking signatures, by UID: a UID has several keys if several cards have had it. `damaged` has the UIDs
 * of cards whose certificate cannot be read.
 */
export function cardKeys(store: StoreReading) {
  const keys = new Map<string, KeyObject[]>();
  const damaged: string[] = [];
  for (const { uid, certificate } of store.certificates()) {
    try {
      const { publicKey } = new X509Certificate(certificate);
      keys.set(uid, [...(keys.get(uid) ?? []), publicKey]);
    } catch {
      damaged.push(uid);
    }
  }
  return { keys, damaged };
}

interface CardAnswer extends CardSignature {
  readonly signedHeader: SignedHeader;
  /** All bytes that the signature may cover. */
  readonly signed: Uint8Array;
}

/** The problems of an entry. @param keys keys of the certificates that the store has for the UID */
export function problemsOf(entry: Entry, keys: readonly KeyObject[]): readonly string[] {
  const problems = entry.intact ? [] : ["it is damaged: its checksum does not match"];
  if (entry.signature === null) return problems;
  try {
    // The stored signature is unproven and may be any bytes, so check only the ledger's own fields.
    if (entry.state === "unproven") return [...problems, ...numberProblems(entry, entry)];
    const answer = cardAnswerOf(entry.signature);
    return [
      ...problems,
      ...numberProblems(entry, answer),
      ...proofProblems(answer, keys),
      ...statedTwice(entry, answer),
    ];
  } catch (error) {
    // A damaged entry may have anything: invalid JSON, a missing field, a time beyond the calendar.
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)) throw error;
    return [...problems, `it cannot be read: ${error.message}`];
  }
}

function cardAnswerOf(bytes: Uint8Array): CardAnswer {
  if (!hasAnswerLength(bytes)) throw new RangeError(`the card's answer has ${bytes.length} bytes`);
  const answer = splitSignAnswer(Buffer.from(bytes));
  const signed = bytes.subarray(0, bytes.length - answer.signature.length);
  return { ...answer, signedHeader: decodeSignedHeader(answer.header), signed };
}

/**
 * Compares the entry's counter and number with a total counter.
 * @param expected has the total counter that both must have
 */
function numberProblems(entry: Entry, expected: Pick<Entry, "totalCounter">): string[] {
  const { uid, totalCounter, number, intent } = entry;
  const requestedBy = intent === null ? uid : requesterOf(decodeIntent(intent));
  return [
    ...differs("its counter", totalCounter, expected.totalCounter),
    ...differs("its number", number, invoiceNumber(requestedBy, uid, expected.totalCounter ?? 0)),
  ];
}

function proofProblems({ signed, signature }: CardAnswer, keys: readonly KeyObject[]): string[] {
  if (keys.length === 0 || keys.some((key) => isProven(signed, signature, key))) return [];
  return ["the signature is not the card's: its certificate does not prove it"];
}

function statedTwice({ uid, answer: json, intent: intentJson }: Entry, card: CardAnswer): string[] {
  const intent = intentJson === null ? undefined : decodeIntent(intentJson);
  const problems = intent === undefined ? [] : intentProblems(uid, intent, card);
  if (json === null) return problems;
  const answer = parse(json) as AnswerText;
  const requestedBy = intent === undefined ? uid : requesterOf(intent);
  problems.push(...answerProblems(uid, requestedBy, answer, card));
  if (intent !== undefined) problems.push(...descriptionProblems(answer, intent));
  return problems;
}

interface AnswerText extends Readonly<Record<string, unknown>> {
  readonly sdcDateTime: string;
  readonly invoiceCounter: string;
  readonly verificationUrl: string;
  readonly taxItems: readonly { readonly label: string; readonly amount: unknown }[];
}

function intentProblems(uid: string, intent: Intent, { header }: CardAnswer): string[] {
  const other = Buffer.from(headerOf(intent)).equals(header)
    ? []
    : ["the card signed another invoice than the one that was asked"];
  return [...other, ...differs("the card of its intent", intent.uid, uid)];
}

function answerProblems(uid: string, requestedBy: string, answer: AnswerText, card: CardAnswer): string[] {
  const { signedHeader, totalCounter, transactionTypeCounter, encryptedInternalData, signature } = card;
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const expected = {
    requestedBy,
    signedBy: uid,
    totalCounter,
    transactionTypeCounter,
    tin: signedHeader.tin,
    invoiceNumber: invoiceNumber(requestedBy, uid, totalCounter),
    encryptedInternalData: base64(encryptedInternalData),
    signature: base64(signature),
  };
  const url = verificationUrl("", {
    requestedBy,
    signedBy: uid,
    ...signedHeader,
    totalCounter,
    transactionTypeCounter,
    encryptedInternalData,
    signature,
  });
  const counters = `${transactionTypeCounter}/${totalCounter}`;
  return [
    ...Object.entries(expected).flatMap(([field, value]) => differs(`${field} of its answer`, answer[field], value)),
    // The rules of a time zone may change later, so compare the moments.
    ...(parseTime(answer.sdcDateTime) === signedHeader.time
      ? []
      : differs("sdcDateTime of its answer", answer.sdcDateTime, toIso(signedHeader.time))),
    ...differs("totalAmount of its answer", decimal(answer.totalAmount), toDecimalText(signedHeader.totalAmount)),
    ...(answer.verificationUrl.endsWith(url) ? [] : ["verificationUrl of its answer is not what the card signed"]),
    ...(answer.invoiceCounter.startsWith(counters)
      ? []
      : differs("invoiceCounter of its answer", answer.invoiceCounter, counters)),
  ];
}

/** Compares those fields of answer and intent that the card does not sign. */
function descriptionProblems(answer: AnswerText, intent: Intent): string[] {
  const { taxGroupRevision, mrc, taxpayer, taxItems } = intent;
  const taxes = (items: AnswerText["taxItems"]) =>
    items.map(({ label, amount }) => `${label} ${decimal(amount)}`).join(", ");
  return [
    ...Object.entries({ taxGroupRevision, mrc, ...taxpayer }).flatMap(([field, value]) =>
      differs(`${field} of its answer`, answer[field], value),
    ),
    ...differs("taxItems of its answer", taxes(answer.taxItems), taxes(taxItems)),
  ];
}

/** An amount as a text that is the same for equal amounts: `1.5` for `1.50`. */
function decimal(value: unknown): string {
  return toDecimalText(typeof value === "bigint" ? (value as Scaled) : parseScaled(String(value)));
}

function differs(field: string, actual: unknown, expected: unknown): string[] {
  return String(actual) === String(expected) ? [] : [`${field} is ${short(actual)} instead of ${short(expected)}`];
}

function short(value: unknown): string {
  const text = String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
