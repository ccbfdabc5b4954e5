/** Invoices that the service refuses for their content. */
import { valueAt } from "../../../emulator/faults/match.js";
import { differingPaths } from "../../../src/fiscalizer/stored-answer.js";
import { fieldsOf } from "../../scenario/json.js";
import { failed, MANUAL_TEST, NOT_SEEN, passed, type UntitledRule } from "../rule.js";
import {
  isReceived,
  isRefusedContent,
  type JudgedRequest,
  labelsIn,
  missingReference,
  type Session,
  sentItems,
} from "../session.js";

export interface AnsweredRefusal {
  readonly request: JudgedRequest;
  readonly code: string;
  /** The place in the invoice, such as `items[0].name`; "" if the service does not say it. */
  readonly property: string;
}

/** The wrong fields of a refused invoice, as the service names them. */
export function refusalsIn(request: JudgedRequest): AnsweredRefusal[] {
  const { modelState } = fieldsOf(request.answer);
  const named = (Array.isArray(modelState) ? modelState : []).flatMap((entry) => {
    const { property, errors } = fieldsOf(entry);
    const code = String([errors].flat()[0] ?? request.code);
    return typeof property === "string" ? [{ request, code, property }] : [];
  });
  return named.length > 0 ? named : [{ request, code: request.code ?? String(request.status), property: "" }];
}

/** The property without the numbers of entries: `items[].name`. */
const fieldOf = ({ property }: AnsweredRefusal): string => property.replaceAll(/\[\d+\]/g, "[]");

const TYPED = /^(buyer\w+|cashier|referentDocument\w+|items\[\]\.(name|gtin|quantity)|)$/i;
const MONEY = /\.(unitPrice|totalAmount|amount)$/i;
const IN_FORM = /^(2800|2805|2806)$/;

/** Whether a cashier may have typed what is wrong. The program alone decides about the rest of an invoice. */
function isTyped(refusal: AnsweredRefusal, all: readonly AnsweredRefusal[]): boolean {
  const { code, property, request } = refusal;
  if (TYPED.test(fieldOf(refusal))) return true;
  // An empty receipt, and one whose sum is too large.
  if (property === "items") return !IN_FORM.test(code);
  if (!MONEY.test(property)) return false;
  const quantity = property.replace(/\w+$/, "quantity");
  if (all.some((other) => other.property === quantity)) return true;
  return !IN_FORM.test(code) && !(Number(valueAt(request.invoice, property)) < 0);
}

const typesOf = ({ invoice }: JudgedRequest): string => {
  const { invoiceType, transactionType } = fieldsOf(invoice);
  return `${String(invoiceType)} ${String(transactionType)}`;
};

/** The number of invoices within which a cashier corrects what was refused. */
const SOON = 3;

/** Whether a sale of the same types that is signed soon after a refused one has something of it: then the cashier has corrected it. */
export function isCorrected(refused: JudgedRequest, { posted }: Session): boolean {
  const { id, requestId, invoice } = refused;
  const items = sentItems(invoice);
  return posted
    .filter((later) => later.id > id)
    .slice(0, SOON)
    .some(
      (later) =>
        later.status === 200 &&
        typesOf(later) === typesOf(refused) &&
        ((requestId !== null && later.requestId === requestId) ||
          sentItems(later.invoice).some((item) =>
            items.some(
              ({ name, quantity, unitPrice }) =>
                name === item.name || (quantity === item.quantity && unitPrice === item.unitPrice),
            ),
          )),
    );
}

/** Whether another sale is signed after the request. A span that ends with a refusal is the test of an error text. */
export const isFollowed = ({ id }: JudgedRequest, { sales }: Session) => sales.some(({ request }) => request.id > id);

/** The fields in which an invoice differs from the first one with its RequestId; undefined if there is none. */
function changedFields({ id, requestId, invoice }: JudgedRequest, { posted }: Session): string[] | undefined {
  const first = posted.find((other) => other.id < id && other.requestId === requestId);
  return first && differingPaths(first.invoice, invoice);
}

const isRepeated = ({ code, property }: AnsweredRefusal) => code === "2805" && property === "RequestId";

/** A repeat with a new time, whose receipt the POS has all the same. */
export function isOnlyTime(refusal: AnsweredRefusal, session: Session): boolean {
  const { requestId } = refusal.request;
  const isTime = isRepeated(refusal) && changedFields(refusal.request, session)?.join() === "dateAndTimeOfIssue";
  return isTime && isReceived(requestId, session);
}

function told(refusals: readonly AnsweredRefusal[], session: Session): string {
  const [first] = refusals;
  if (!first) return "";
  const count = refusals.length > 1 ? `, ${refusals.length} times` : "";
  const changed = isRepeated(first) ? changedFields(first.request, session) : undefined;
  const isOther = changed?.some((path) => path.startsWith("items")) === true;
  const more = changed && `: ${isOther ? "used for another sale" : `a repeat differs in ${changed.join(", ")}`}`;
  return `${first.code} ${fieldOf(first)}${count}, first in request ${first.request.id}${more ?? ""}`;
}

/** Labels that were shown, without the labels of a Refund or a Copy, which are those of the original. */
const isOfLabels = ({ code, property }: AnsweredRefusal): boolean => code === "2310" || /\.labels\b/i.test(property);

export const REFUSED_RULE: UntitledRule = {
  id: "REFUSED",
  source: MANUAL_TEST,
  judge: (session) => {
    const refused = session.posted.filter((request) => isRefusedContent(request) && isFollowed(request, session));
    const wrong = new Map<string, AnsweredRefusal[]>();
    for (const request of refused) {
      const all = refusalsIn(request).filter(
        (one) => !isOfLabels(one) && !isOnlyTime(one, session) && missingReference(request.invoice) === undefined,
      );
      for (const one of all) {
        const typed = isTyped(one, all);
        if (typed && isCorrected(request, session)) continue;
        const key = `${typed ? "typed " : ""}${fieldOf(one)}`;
        wrong.set(key, [...(wrong.get(key) ?? []), one]);
      }
    }
    const mistakes = [...wrong].filter(([key, { length }]) => !key.startsWith("typed ") || length > 1);
    if (mistakes.length > 0) {
      return failed(
        mistakes.flatMap(([, refusals]) => refusals),
        mistakes.map(([, refusals]) => told(refusals, session)).join("; "),
      );
    }
    return session.sales.length === 0 ? NOT_SEEN : passed(session.sales.slice(-1));
  },
};

/** The labels that the status of the till's service shows, in any form of its tax rates; undefined for other answers. */
function labelsShown({ online, method, path, answer }: JudgedRequest): string[] | undefined {
  if (online || method !== "GET" || !/\/status\/?(\?|$)/i.test(path)) return undefined;
  const { currentTaxRates } = fieldsOf(answer);
  const labels = (JSON.stringify(currentTaxRates) ?? "").matchAll(/"label":"([^"]+)"/gi);
  return [...labels].flatMap(([, label]) => label ?? []).toSorted();
}

/** The largest number of sales that desks may send with an old label before each has read the status again. */
const STILL_OLD = 5;

/** The invoices that were refused for their labels. A Refund and a Copy carry the labels of their original. */
function refusedLabels({ requests }: Session) {
  const ever = new Set<string>();
  let known: readonly string[] = [];
  let since = 0;
  let isRefused = false;
  // Whether the POS read the newest labels without a refusal, and no till has sold with them: then no other till has
  // read them.
  let isKnown = true;
  return requests.flatMap((request) => {
    const shown = labelsShown(request);
    if (shown) {
      if (shown.join() !== known.join()) isKnown = !isRefused;
      isRefused = false;
      known = shown;
      since += 1;
      for (const label of shown) ever.add(label);
    }
    if (request.signed) isKnown = false;
    if (request.invoice === null || !isRefusedContent(request)) return [];
    const { invoiceType, transactionType } = fieldsOf(request.invoice);
    const places = refusalsIn(request).filter(isOfLabels);
    if (places.length === 0 || invoiceType === "Copy" || transactionType === "Refund") return [];
    const named = places
      .flatMap(({ property }) => (property === "" ? [] : (valueAt(request.invoice, property) ?? [])))
      .map(String);
    const refused = named.length > 0 ? named : labelsIn(request.invoice).map(String);
    // Whether no status has shown one of the labels, and whether the newest status shows others.
    const isUnknown = refused.length === 0 || !refused.every((label) => ever.has(label));
    isRefused = true;
    const isRead = refused.some((label) => !known.includes(label));
    return [{ request, refused, since, isUnknown, isRead, isKnown }];
  });
}

function wrongLabels(session: Session) {
  const all = refusedLabels(session);
  return all.find(({ request, refused, isUnknown, isRead, isKnown, since }, i) => {
    const { id, requestId } = request;
    if (isUnknown) return isFollowed(request, session);
    const before = all.slice(0, i).filter((one) => !one.isUnknown);
    if (before.filter((one) => one.refused.join() === refused.join()).length >= STILL_OLD) return true;
    if (requestId !== null && before.some((one) => one.request.requestId === requestId)) return true;
    if (isRead && isFollowed(request, session) && (isKnown || !isCorrected(request, session))) return true;
    // The labels have changed since the POS has read them. It learns that from a refusal, and reads them.
    const unread = before.filter((one) => one.since === since).length;
    const isReadLater = session.requests.some((one) => one.id > id && labelsShown(one) !== undefined);
    return unread >= (isReadLater ? STILL_OLD : 1);
  });
}

export const LABEL_RULE: UntitledRule = {
  id: "TAX-001",
  source: `${MANUAL_TEST}, TAX-001 and TAX-004`,
  judge: (session) => {
    const wrong = wrongLabels(session);
    if (wrong) return failed([wrong], `labels ${JSON.stringify(wrong.refused)}`);
    const read = session.requests.filter((request) => labelsShown(request) !== undefined);
    const changed = read.find((request) => labelsShown(request)?.join() !== labelsShown(read[0] ?? request)?.join());
    const sold = changed && session.sales.find(({ request }) => request.id > changed.id);
    if (sold) return passed([changed, sold]);
    return { ...NOT_SEEN, missing: [read.length > 0 ? "labels that change" : "labels that the POS reads"] };
  },
};
