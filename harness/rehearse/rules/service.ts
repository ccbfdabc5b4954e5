/** What a POS asks of the service, and how it learns whether the card can sign. */
import { fieldsOf } from "../../scenario/json.js";
import { failed, isOnline, MANUAL_TEST, NOT_SEEN, OWN_RULE, passed, type UntitledRule } from "../rule.js";
import type { JudgedRequest, Session } from "../session.js";

const STATE = /\/(status|attention)\/?(\?|$)/i;

const isPin = ({ method, path }: JudgedRequest): boolean => method === "POST" && /\/pin\/?(\?|$)/i.test(path);

/** The largest number of invoices that cash desks may send until each has learned that the PIN is missing. */
const STILL_WITHOUT_PIN = 5;
/** The number of sales after a wrong PIN at which the POS has taken it as right: two other desks may learn of it. */
const TAKEN_AS_RIGHT = 3;
/** The number of sales in a row after which a POS must have noticed that the card cannot sign. */
const STILL_SELLING = 5;
/** Without a card, with a locked one, or with one that may not sign. */
const CANNOT_SIGN = new Set(["1300", "2110", "2210"]);
/** ms. A person does not type a PIN in this time. */
const TYPED_IN = 1000;

const answersWith = ({ answer, code }: JudgedRequest, sought: string): boolean =>
  code === sought || [fieldsOf(answer).gsc].flat().includes(sought);

const needsPin = (request: JudgedRequest): boolean => answersWith(request, "1300") || answersWith(request, "1500");

/** Returns the status that asks for the PIN, and the invoice that the POS sends nevertheless, at a start. */
function soldWithoutPin({ requests, posted }: Session): JudgedRequest[] {
  const began = requests.findIndex((request) => isPin(request) || request.signed || answersWith(request, "1300"));
  const start = began < 0 ? requests : requests.slice(0, began);
  const told = start.find((request) => request.method === "GET" && answersWith(request, "1500"));
  const sold = told && posted.find(({ id, code }) => id > told.id && code === "1500");
  // A span that ends with the refusal is the test of an error text.
  const isFollowed = requests.some(({ id, method }) => method === "POST" && id > (sold?.id ?? 0));
  return told && sold && start.includes(sold) && isFollowed ? [told, sold] : [];
}

/** Returns the first invoices in a row that are refused for the PIN, if they are too many. */
function stillWithoutPin({ requests, posted }: Session): JudgedRequest[] {
  let refused: JudgedRequest[] = [];
  let wrongPin: JudgedRequest | undefined;
  for (const request of requests) {
    if (request.code === "0100" || request.signed) refused = [];
    if (isPin(request)) wrongPin = request.code === "0100" ? undefined : request;
    if (request.code !== "1500" || !posted.includes(request)) continue;
    refused.push(request);
    if (refused.length > STILL_WITHOUT_PIN) return refused;
    const since = refused.filter(({ id }) => id > (wrongPin?.id ?? Number.POSITIVE_INFINITY));
    if (new Set(since.map(({ requestId }) => requestId)).size >= TAKEN_AS_RIGHT) return since;
  }
  return [];
}

/** Returns two PINs that a program has sent, not a person. A span without an invoice is the test of a locked card. */
function pinsOfProgram({ requests, posted }: Session): JudgedRequest[] {
  // What locks the card is the test of a locked one, beside which others may run.
  const isLocked = requests.some((request) => isPin(request) && request.code === "2110");
  const sent = requests.filter(({ method }) => isLocked || method === "POST");
  const times = sent.map(({ at }) => Date.parse(at));
  const isFrozen = times.every((time) => time === times[0]);
  const second = sent.findIndex((request, i) => {
    const before = sent[i - 1];
    const isWrong = [request, before].every((one) => one && isPin(one) && one.code === "2100");
    return isWrong && (times[i] ?? 0) - (times[i - 1] ?? 0) < TYPED_IN;
  });
  return second < 0 || isFrozen || posted.length === 0 ? [] : sent.slice(second - 1, second + 1);
}

/** Returns different sales in a row that are refused with the same code, if they are too many. */
function stillSelling({ posted }: Session): JudgedRequest[] {
  let row: JudgedRequest[] = [];
  for (const request of posted) {
    const { code, invoice } = request;
    if (!CANNOT_SIGN.has(code ?? "")) row = [];
    else if (row[0]?.code !== code) row = [request];
    else if (!row.some((one) => JSON.stringify(one.invoice) === JSON.stringify(invoice))) row.push(request);
    if (row.length === STILL_SELLING) return row;
  }
  return [];
}

/** The largest number of sales in a row that a POS may still send online after it has seen that the card is ready. */
const STILL_ONLINE = 2;

/** Whether the answer of the till's service shows that the card can sign: the PIN was right, or status has 0100. */
const isReady = (request: JudgedRequest): boolean =>
  !request.online && answersWith(request, "0100") && !answersWith(request, "1500");

export const SERVICE_RULES: readonly UntitledRule[] = [
  {
    id: "OPS-002-STATE",
    source: `${MANUAL_TEST}, OPS-002`,
    once: true,
    judge: ({ requests, posted: [first] }) => {
      if (!first) return NOT_SEEN;
      const asked = requests.find(({ method, path }) => method === "GET" && STATE.test(path));
      if (asked && asked.id < first.id) return passed([asked, first]);
      return failed([first], "no status or attention before this invoice");
    },
  },
  {
    id: "OPS-002-PIN",
    source: `${MANUAL_TEST}, OPS-002`,
    judge: (span) => {
      const { requests, sales } = span;
      const unasked = soldWithoutPin(span);
      if (unasked.length > 0) return failed(unasked, "an invoice before any PIN, although status had said 1500");
      const refused = stillWithoutPin(span);
      if (refused.length > 0) return failed(refused, `1500, ${refused.length} times without a right PIN`);
      const typed = pinsOfProgram(span);
      if (typed.length > 0) return failed(typed, "2100, twice within a second");
      // The PIN at the start of the day does not pass the rule. The rule needs a PIN after the card was out, or after a
      // sale.
      const firstSale = sales[0]?.request.id ?? Number.POSITIVE_INFINITY;
      const again = requests.find(
        (request) => answersWith(request, "1300") || (needsPin(request) && request.id > firstSale),
      );
      const pin =
        again && requests.find((request) => isPin(request) && request.id > again.id && request.code === "0100");
      return pin ? passed([again, pin]) : NOT_SEEN;
    },
  },
  {
    id: "SELLS",
    source: MANUAL_TEST,
    once: true,
    atEnd: true,
    judge: (session) => {
      const { posted, sales, spans = [] } = session;
      const row = spans.map(stillSelling).find(({ length }) => length > 0);
      if (row) return failed(row, `${row.length} different sales in a row refused with ${row[0]?.code}`);
      if (sales.length > 0) return passed(sales.slice(0, 1));
      return posted.length === 0 ? NOT_SEEN : failed(posted, `${posted.length} invoices, and none was signed`);
    },
  },
  {
    id: "ONLINE-RETURN",
    source: OWN_RULE,
    applies: isOnline,
    judge: ({ requests, sales }) => {
      const first = sales.find(({ request }) => request.online);
      if (!first) return { ...NOT_SEEN, missing: ["a sale online"] };
      const later = sales.filter(({ request }) => request.id > first.request.id);
      const back = later.find(({ request }) => !request.online);
      const ready = requests.find((request) => request.id > first.request.id && isReady(request));
      const stayed = later.filter(
        ({ request }) =>
          ready !== undefined && request.online && request.id > ready.id && (!back || request.id < back.request.id),
      );
      if (stayed.length > STILL_ONLINE) return failed(stayed, `${stayed.length} sales online after the card was ready`);
      if (!back) return { ...NOT_SEEN, missing: ["a sale with the card after it"] };
      return passed([first, back]);
    },
  },
];
