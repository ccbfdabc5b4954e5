/** Checks a sale's signature, internal data, rates and taxes (protocol facts, sections 2, 3, 5 and 8). */
import type { KeyObject } from "node:crypto";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { invoiceNumber } from "../../src/fiscal/counters.js";
import { INVOICE_TYPES, TRANSACTION_TYPES, totalAmountOf } from "../../src/fiscal/invoice.js";
import { type Scaled, toFixed } from "../../src/fiscal/money.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import {
  type CategoryTax,
  categoryTaxes,
  rateGroupAt,
  type TaxItem,
  type TaxRateGroup,
  taxItems,
} from "../../src/fiscal/tax.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import {
  decodeVerificationUrl,
  type VerificationData,
  VerificationUrlError,
} from "../../src/fiscal/verification-url.js";
import { decodeInternalData, type InternalData } from "../pki/internal-data.js";
import { BLOCK_BYTES, decryptBlock } from "../pki/rsa-block.js";
import type { SentSale } from "./read-sale.js";
import type { Holder } from "./registered.js";

export interface CheckedAgainst {
  readonly privateKey: KeyObject;
  /** The card's key and TIN; undefined if the card's certificate is not registered. */
  readonly card: (Holder & { readonly revokedAt: number | undefined }) | undefined;
  /** Every rate group that the authority ever sent. */
  readonly groups: readonly TaxRateGroup[];
  /** Returns the rate groups that the card's service had at a time (ms), according to the service's reports. */
  readonly groupsKnownAt: (time: number) => readonly TaxRateGroup[];
  /** Returns the time of the invoice with a number; undefined if the authority does not have the invoice's package. */
  readonly timeOf: (invoiceNumber: string) => number | undefined;
}

export interface SaleVerdict {
  /** A value of PACKAGE_STATUS. */
  readonly status: number;
  /** One sentence for each error in the sale. */
  readonly findings: readonly string[];
  /** The card's internal data; undefined if the authority cannot read the data. */
  readonly internal: InternalData | undefined;
}

/** Makes every check of a sale. The first check that fails, in the order of `steps`, decides the status. */
export function checkSale(sale: SentSale, against: CheckedAgainst): SaleVerdict {
  const { card, groups } = against;
  const internal = internalData(sale, against.privateKey);
  if (!card) {
    const finding = `the certificate of ${sale.signedBy} is not registered; register it, then verify the package again`;
    return { status: PACKAGE_STATUS.notVerifiedYet, findings: [finding], internal };
  }
  const group = groups.find(({ groupId }) => groupId === sale.taxGroupRevision);
  const steps: readonly (readonly [status: number, findings: readonly string[]])[] = [
    [PACKAGE_STATUS.certificateRevoked, revocation(sale, card.revokedAt)],
    [
      PACKAGE_STATUS.signatureInvalid,
      isSignatureValid(sale, card.tin, card.publicKey) ? [] : ["the signature does not match the card's certificate"],
    ],
    [PACKAGE_STATUS.internalDataWrong, internalFindings(sale, internal, group)],
    [
      PACKAGE_STATUS.rateGroupUnknown,
      group ? [] : [`the authority has never sent rate group ${sale.taxGroupRevision}`],
    ],
    // No check leads to status 1, because that status means that the authority has not finished its checks.
    [PACKAGE_STATUS.internalDataWrong, [...resultFindings(sale, card.tin), ...urlFindings(sale)]],
    [PACKAGE_STATUS.rateGroupUnknown, group ? taxFindings(sale, group, against) : []],
  ];
  const status = steps.find(([, findings]) => findings.length > 0)?.[0] ?? PACKAGE_STATUS.verified;
  return { status, findings: steps.flatMap(([, findings]) => findings), internal };
}

function revocation({ time }: SentSale, revokedAt: number | undefined): string[] {
  if (revokedAt === undefined || time < revokedAt) return [];
  return [`the certificate was revoked at ${toIso(revokedAt)}, but the sale was signed at ${toIso(time)}`];
}

/**
 * Decrypts the card's internal data; undefined if the data cannot be read. Reads only the first block, because cards
 * with 512 bytes of internal data write the same data into both blocks.
 */
export function internalData({ encryptedInternalData }: VerificationData, key: KeyObject): InternalData | undefined {
  const plain = decryptBlock(encryptedInternalData.subarray(0, BLOCK_BYTES), key);
  return plain && decodeInternalData(plain);
}

export function internalDifferences(internal: InternalData, signed: VerificationData): string[] {
  return [
    ...differs("UID", internal.uid, signed.signedBy),
    ...differs("time", internal.time, signed.time),
    ...differs("total amount", toFixed(internal.totalAmount, 4), toFixed(signed.totalAmount, 4)),
    ...differs("total counter", internal.totalCounter, signed.totalCounter),
    ...differs("counter of the types", internal.pairCounter, signed.transactionTypeCounter),
    ...differs("invoice type", internal.invoiceType, INVOICE_TYPES[signed.invoiceType]),
    ...differs("transaction type", internal.transactionType, TRANSACTION_TYPES[signed.transactionType]),
  ];
}

function internalFindings(sale: SentSale, internal?: InternalData, group?: TaxRateGroup): string[] {
  if (!internal) return ["the internal data is not encrypted for this authority"];
  return [
    ...internalDifferences(internal, sale),
    ...(group ? differs("taxes", taxText(internal.categories), taxText(sentCategories(sale, group))) : []),
  ].map((text) => `the internal data has a different ${text}`);
}

/** Returns the taxes in the result, with the number of each category in place of its name. */
function sentCategories({ taxItems: items }: SentSale, group: TaxRateGroup): CategoryTax[] {
  const numbers = new Map(group.taxCategories.map(({ name, orderId }) => [name, orderId]));
  const known = items.map(({ categoryName, amount }) => ({ orderId: numbers.get(categoryName) ?? 0, amount }));
  return categoryTaxes(known as readonly Pick<TaxItem, "orderId" | "amount">[] as readonly TaxItem[]);
}

/** Returns taxes as text for a comparison. Ignores categories without tax, because a service may send or omit them. */
function taxText(taxes: readonly CategoryTax[]): string {
  const charged = taxes.filter(({ amount }) => amount !== 0n).toSorted((a, b) => a.orderId - b.orderId);
  return charged.map(({ orderId, amount }) => `${orderId}: ${toFixed(amount, 4)}`).join(", ") || "none";
}

function resultFindings(sale: SentSale, tin: string): string[] {
  const number = invoiceNumber(sale.requestedBy, sale.signedBy, sale.totalCounter);
  const counters = `${sale.transactionTypeCounter}/${sale.totalCounter}`;
  return [
    ...differs("tin", sale.tin, tin),
    ...differs("invoiceNumber", sale.invoiceNumber, number),
    ...(sale.invoiceCounter.startsWith(counters) ? [] : differs("invoiceCounter", sale.invoiceCounter, counters)),
    ...differs("totalAmount", toFixed(sale.totalAmount, 4), toFixed(totalAmountOf(sale.invoice.items), 4)),
  ].map((text) => `the result has a different ${text}`);
}

/** The fields of a sale that its verification URL has too, and those that are bytes. */
export const URL_FIELDS = [
  ...(["requestedBy", "signedBy", "totalCounter", "transactionTypeCounter", "totalAmount", "time"] as const),
  ...(["invoiceType", "transactionType", "buyerId"] as const),
] as const satisfies readonly (keyof VerificationData)[];
export const URL_BYTES = ["encryptedInternalData", "signature"] as const;

function urlFindings(sale: SentSale): string[] {
  try {
    const decoded = decodeVerificationUrl(sale.verificationUrl);
    const wrong = [
      ...URL_FIELDS.filter((name) => decoded[name] !== sale[name]),
      ...URL_BYTES.filter((name) => !Buffer.from(decoded[name]).equals(sale[name])),
    ].map((name) => `the verification URL and the result differ in ${name}`);
    return decoded.hashValid === false ? ["the hash of the verification URL is wrong", ...wrong] : wrong;
  } catch (error) {
    if (!(error instanceof VerificationUrlError)) throw error;
    return [`the verification URL cannot be read: ${error.message}`];
  }
}

function taxFindings(sale: SentSale, group: TaxRateGroup, against: CheckedAgainst): string[] {
  const wrongGroup = inForce(sale, group, against)
    ? []
    : [`rate group ${group.groupId} was not in force for this sale`];
  let computed: readonly TaxItem[];
  try {
    computed = taxItems(sale.invoice.items, group);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [...wrongGroup, error.message];
  }
  return [
    ...wrongGroup,
    ...differs("taxItems", itemText(sale.taxItems), itemText(computed)).map((text) => `different ${text}`),
  ];
}

function itemText(items: SentSale["taxItems"]): string {
  const texts = items.map(
    (item) => `${item.label} ${item.categoryName} ${decimal(item.rate)}: ${decimal(item.amount)}`,
  );
  return texts.toSorted().join(", ");
}

const decimal = (value: Scaled) => toFixed(value, 4);

/**
 * Whether a rate group is right for a sale. A group is right if it is in force at the sale's time, among all groups or
 * among the groups that the service had received by that time. For a Copy or a Refund, a group that was in force at the
 * time of the original is right too. If the authority does not know that time, every group that began before the sale
 * is right.
 */
function inForce(sale: SentSale, group: TaxRateGroup, { groups, groupsKnownAt, timeOf }: CheckedAgainst): boolean {
  const { invoice, time } = sale;
  const refers = invoice.invoiceType === "Copy" || invoice.transactionType === "Refund";
  const { referentDocumentDT, referentDocumentNumber = "" } = invoice;
  const sent = referentDocumentDT === undefined ? undefined : parseTime(referentDocumentDT);
  const originals = refers ? [sent, timeOf(referentDocumentNumber)].filter((at) => at !== undefined) : [];
  if (refers && originals.length === 0) return group.validFrom <= time;
  const times = [...originals, time];
  const known = groupsKnownAt(time);
  return times.some((at) => [groups, known].some((some) => rateGroupAt(some, at)?.groupId === group.groupId));
}

function differs(field: string, actual: unknown, expected: unknown): string[] {
  return String(actual) === String(expected) ? [] : [`${field}: ${String(actual)} instead of ${String(expected)}`];
}
