/** What a service must accept, and what a POS should change all the same. Notes fail nothing. */
import { didYouMean } from "../../src/base/did-you-mean.js";
import { type InvoiceField, invoiceSchema } from "../../src/http/invoice-schema.js";
import { fieldsOf } from "../scenario/json.js";
import { isOnlyTime, refusalsIn } from "./rules/refusals.js";
import { isRefusedContent, type JudgedRequest, minorUnits, type Sale, type Session } from "./session.js";

const INVOICE: InvoiceField = invoiceSchema({ negativeItems: true });

function unknownNames(value: unknown, field: InvoiceField | undefined): string[] {
  if (typeof value !== "object" || value === null || !field) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => unknownNames(entry, field.items));
  const { properties = {} } = field;
  const names = Object.keys(properties);
  return Object.entries(value).flatMap(([name, entry]) => {
    const known = names.find((one) => one.toLowerCase() === name.toLowerCase());
    return known === undefined ? `${name}${didYouMean(name, names)}` : unknownNames(entry, properties[known]);
  });
}

/** Matches a number such as 361.72999999999996. */
const TAIL = /\d+\.\d*(?:0{6}|9{6})\d*/;

function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

type Noted = readonly [request: JudgedRequest, text: string];

function unpaid({ request, invoice: { payment, items } }: Sale): Noted[] {
  const sum = (amounts: readonly number[]) => minorUnits(amounts.reduce((all, amount) => all + amount, 0)) / 100;
  const paid = sum(payment.map(({ amount }) => amount));
  const total = sum(items.map(({ totalAmount }) => totalAmount));
  return paid === total ? [] : [[request, `payments of ${paid} for a total of ${total}`]];
}

const STATUS = { most: 15, within: 5000 };

/** On a clock that stands still, nothing can be said. */
function tooManyStatus({ requests }: Session): Noted[] {
  const status = requests.filter(({ method, path }) => method === "GET" && /\/status\/?(\?|$)/i.test(path));
  const times = status.map(({ at }) => Date.parse(at));
  return status.flatMap((request, i) => {
    const ms = (times[i] ?? 0) - (times[i - STATUS.most] ?? 0);
    return ms > 0 && ms < STATUS.within
      ? [[request, `more than ${STATUS.most} status in ${STATUS.within / 1000} s`] as const]
      : [];
  });
}

const languageOf = (tag: unknown): string => String(tag).trim().split(/[-;]/)[0]?.toLowerCase() ?? "";

function unknownLanguages({ requests }: Session): Noted[] {
  const known = requests.flatMap(({ answer }) => fieldsOf(answer).supportedLanguages ?? []).map(languageOf);
  if (known.length === 0) return [];
  return requests.flatMap((request) => {
    const { language = "*" } = request;
    const isKnown = language.split(",").some((tag) => ["*", ...known].includes(languageOf(tag)));
    return isKnown ? [] : [[request, `Accept-Language ${language}: the environment does not have it`] as const];
  });
}

/** For the row with each id, what is noted about requests of a span. */
const NOTES: Readonly<Record<string, (span: Session) => readonly Noted[]>> = {
  "OPS-005": ({ sales }) => sales.flatMap(unpaid),
  "CAT-005": ({ posted }) =>
    posted.flatMap((request) => {
      const [tail] = TAIL.exec(numbersIn(request.body).join(" ")) ?? [];
      return tail === undefined ? [] : [[request, `${tail}: compute with decimals`] as const];
    }),
  REFUSED: (span) =>
    span.posted.flatMap((request) => {
      const isTime = isRefusedContent(request) && refusalsIn(request).some((one) => isOnlyTime(one, span));
      const texts = unknownNames(request.body, INVOICE).map((name) => `unknown field ${name}`);
      if (isTime) texts.push("a repeat with another dateAndTimeOfIssue: repeat it without a change");
      return texts.map((text) => [request, text] as const);
    }),
  "COND-LOCAL": unknownLanguages,
  "OPS-002-STATE": tooManyStatus,
  "FORB-001-LOST": (span) => [
    ...usedAgain(span),
    ...span.posted.flatMap((request): Noted[] => {
      const { hungUpAfter: ms, requestId } = request;
      if (ms !== undefined) return [[request, `the caller hung up after ${ms} ms: a client waits 30 s`]];
      return requestId === null ? [[request, "no RequestId: a lost answer cannot be got again"]] : [];
    }),
  ],
};

/** A RequestId that a till sends again although it has the receipt, and has sold since. */
function usedAgain({ posted, sales }: Session): Noted[] {
  return posted.flatMap((request) => {
    const { id, requestId, online, status, signed } = request;
    if (requestId === null || status !== 200 || signed) return [];
    const known = posted.find((one) => one.requestId === requestId && one.online === online && one.status === 200);
    const since = sales.some((sale) => sale.request.id > (known?.id ?? id) && sale.request.id < id);
    return since ? [[request, `RequestId ${requestId} again, with its old receipt: a new sale needs a new one`]] : [];
  });
}

const MOST_NOTES = 5;

const notedIn = ({ spans = [] }: Session, row: string): Noted[] => spans.flatMap((span) => NOTES[row]?.(span) ?? []);

export function notesIn(session: Session): ReadonlyMap<number, readonly string[]> {
  const notes = new Map<number, string[]>();
  for (const [{ id }, text] of Object.keys(NOTES).flatMap((row) => notedIn(session, row))) {
    notes.set(id, [...(notes.get(id) ?? []), text]);
  }
  return notes;
}

/** Returns the notes of a row, each with the first request that shows it; undefined without a note. */
export function noteOf(id: string, session: Session): string | undefined {
  const noted = notedIn(session, id);
  const texts = [...new Set(noted.map(([, text]) => text))].slice(0, MOST_NOTES);
  const lines = texts.map((text) => {
    const [first, ...more] = noted.filter((one) => one[1] === text);
    return `${text} (request ${first?.[0].id}${more.length > 0 ? ` and ${more.length} more` : ""})`;
  });
  return lines.length > 0 ? lines.join("\n") : undefined;
}
