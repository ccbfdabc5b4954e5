/** What a POS asks of the service, and what it does after an error or without an answer. */
import { fieldsOf } from "../../scenario/json.js";
import type { SentRequest } from "../../scenario/request-types.js";
import { type Finding, failed, isOnline, MANUAL_TEST, NOT_SEEN, OWN_RULE, passed, type Rule } from "../rule.js";
import { isRefusedContent } from "../session.js";

const STATE = /\/(status|attention)\/?(\?|$)/i;

const isPin = ({ method, path }: SentRequest): boolean => method === "POST" && /\/pin\/?(\?|$)/i.test(path);

/**
 * The largest number of refused invoices that a POS may send without a PIN. A POS may learn from a refusal that the PIN
 * is missing.
 */
const STILL_WITHOUT_PIN = 2;

/** Whether the answer, an error or the status, has this code. */
function answersWith({ answer, code }: SentRequest, sought: string): boolean {
  if (code === sought) return true;
  const { gsc } = fieldsOf(answer);
  return Array.isArray(gsc) && gsc.includes(sought);
}

/** Whether the answer shows that there is no card, or that the card needs its PIN. */
const needsPin = (request: SentRequest): boolean => answersWith(request, "1300") || answersWith(request, "1500");

/** Whether the POS has to repeat the sale after this error, because the sale may still be signed. */
const isOpen = (request: SentRequest): boolean => request.status >= 400 && !isRefusedContent(request);

/**
 * Whether two requests have the same sale at the same service. A POS may sell at one service what the other service
 * refused.
 */
const sameSale = (one: SentRequest, other: SentRequest): boolean =>
  one.online === other.online && JSON.stringify(one.invoice) === JSON.stringify(other.invoice);

/** Whether the POS asks for the receipt of this RequestId (GET /invoices/RequestId). */
const asksFor = ({ method, path }: SentRequest, requestId: string): boolean =>
  method === "GET" && path.endsWith(`/invoices/${encodeURIComponent(requestId)}`);

function labelsIn(invoice: unknown): unknown[] {
  const { items } = fieldsOf(invoice);
  const labels = (Array.isArray(items) ? items : []).map((item) => fieldsOf(item).labels);
  return [...new Set(labels.flat())];
}

/** The labels that the status of the till's service shows, in any form of its tax rates; undefined for other answers. */
function labelsShown({ online, method, path, answer }: SentRequest): string[] | undefined {
  if (online || method !== "GET" || !/\/status\/?(\?|$)/i.test(path)) return undefined;
  const { currentTaxRates } = fieldsOf(answer);
  const labels = (JSON.stringify(currentTaxRates) ?? "").matchAll(/"label":"([^"]+)"/gi);
  return [...labels].flatMap(([, label]) => label ?? []).toSorted();
}

/** The largest number of sales in a row that a POS may still send online after it has seen that the card is ready. */
const STILL_ONLINE = 2;

/** Whether the answer of the till's service shows that the card can sign: the PIN was right, or status has 0100. */
function isReady({ online, code, answer }: SentRequest): boolean {
  if (online) return false;
  const { gsc } = fieldsOf(answer);
  return code === "0100" || (Array.isArray(gsc) && gsc.includes("0100") && !gsc.includes("1500"));
}

export const SERVICE_RULES: readonly Rule[] = [
  {
    id: "OPS-002-STATE",
    text: "The POS asks for the state of the service before its first invoice.",
    source: `${MANUAL_TEST}, OPS-002`,
    todo: "Start the POS while the rehearsal runs, and sell once.",
    change: "Send GET status or GET attention at each start of the POS, before the first invoice.",
    judge: ({ requests, posted: [first] }) => {
      if (!first) return NOT_SEEN;
      const asked = requests.find(({ method, path }) => method === "GET" && STATE.test(path));
      if (asked && asked.id < first.id) return { kind: "passed", requests: [asked.id, first.id] };
      return { kind: "failed", requests: [first.id], value: "no status or attention before this invoice" };
    },
  },
  {
    id: "OPS-002-PIN",
    text: "After the card was removed and inserted, the POS asks for the PIN again and sends it.",
    source: `${MANUAL_TEST}, OPS-002`,
    todo: "Pull the card, insert it again, and sell. Enter the PIN when the POS asks for it.",
    change:
      "If status or an invoice answers 1300 or 1500, ask the cashier for the card and the PIN, and send POST pin.",
    judge: ({ requests, sales: [firstSale] }) => {
      const needed = requests.filter(needsPin);
      const [first] = needed;
      if (!first) return NOT_SEEN;
      const pins = requests.filter((request) => isPin(request) && request.id > first.id);
      const refused = needed.filter(({ code, invoice }) => invoice !== null && code === "1500");
      if (pins.length === 0 && refused.length > STILL_WITHOUT_PIN) {
        return failed(
          refused.map((request) => ({ request })),
          "1500",
        );
      }
      // The PIN at the start of the day does not pass the rule. The rule needs a PIN after the card was out, or after a
      // sale.
      const again = needed.find(
        (request) => answersWith(request, "1300") || (firstSale && request.id > firstSale.request.id),
      );
      const pin = again && pins.find(({ id, code }) => id > again.id && code === "0100");
      return pin ? { kind: "passed", requests: [again.id, pin.id] } : NOT_SEEN;
    },
  },
  {
    id: "FORB-001-ERROR",
    text: "The POS prints nothing without a signed answer: after an error it repeats the sale with the same RequestId.",
    source: `${MANUAL_TEST}, FORB-001`,
    todo: "Let a sale be refused, for example while the card is out of the reader, and let the POS finish it.",
    change: "Print no receipt after an error. Repeat the same sale with the same RequestId, never with a new one.",
    judge: ({ posted }) => {
      const refused = posted.filter(isOpen);
      for (const first of refused) {
        const later = posted.filter((request) => request.id > first.id && sameSale(request, first));
        const next = later.find(({ requestId }) => requestId === null || requestId !== first.requestId);
        // If the POS repeats the sale, too, the other one is another cash desk's.
        if (next && !later.some(({ requestId }) => requestId !== null && requestId === first.requestId)) {
          return { kind: "failed", requests: [first.id, next.id], value: `RequestId ${next.requestId ?? "none"}` };
        }
      }
      const settled = refused.flatMap((first) => {
        const end = posted.find(
          ({ id, requestId, status }) =>
            id > first.id && requestId !== null && requestId === first.requestId && status === 200,
        );
        return end ? [first.id, end.id] : [];
      });
      return settled.length === 0 ? NOT_SEEN : { kind: "passed", requests: settled.slice(0, 4) };
    },
  },
  {
    id: "FORB-001-LOST",
    text: "If the answer to an invoice is lost, the POS sends it again with the same RequestId, or gets the receipt by its RequestId.",
    source: `${MANUAL_TEST}, FORB-001`,
    todo: "Let the answer to a sale get lost (the guide does it), and wait for what the POS does.",
    change:
      "Keep the RequestId of a sale until its answer is stored, and repeat the invoice with it. A new RequestId sells twice.",
    judge: ({ posted, requests }) => {
      const lost = posted.filter(({ status }) => status === 0);
      const repeated = lost.filter(({ id, online, requestId }) =>
        requests.some(
          (other) =>
            other.id > id &&
            other.online === online &&
            requestId !== null &&
            other.status === 200 &&
            ((other.invoice !== null && other.requestId === requestId) || asksFor(other, requestId)),
        ),
      );
      const again = lost.flatMap(({ id, requestId, invoice }) => {
        const twin = posted.find(
          (other) =>
            other.id > id && other.requestId !== requestId && JSON.stringify(other.invoice) === JSON.stringify(invoice),
        );
        return twin && !repeated.some((one) => one.id === id) ? [{ id, twin }] : [];
      });
      const [wrong] = again;
      if (wrong) {
        const value = `RequestId ${wrong.twin.requestId ?? "none"}`;
        return { kind: "failed", requests: [wrong.id, wrong.twin.id], value };
      }
      const [shown] = repeated;
      return shown ? { kind: "passed", requests: [shown.id] } : NOT_SEEN;
    },
  },
  {
    id: "TAX-001",
    text: "Tax labels come from the service. The POS refuses an unknown label itself, before it sends the invoice.",
    source: `${MANUAL_TEST}, TAX-001 and TAX-004`,
    todo: "Let the labels change (the guide does it), and sell. The POS must have read the labels before, too.",
    change: "Read currentTaxRates of status, offer only these labels, and read them again when the rates change.",
    judge: ({ requests }) => {
      let known: string[] | undefined;
      let changed: SentRequest | undefined;
      let hasMissedChange = false;
      let proof: Finding | undefined;
      for (const request of requests) {
        const shown = labelsShown(request);
        if (shown) {
          if (known && known.join() !== shown.join()) changed = request;
          known = shown;
          hasMissedChange = false;
        } else if (request.invoice !== null && request.code === "2310") {
          const sent = labelsIn(request.invoice);
          // The labels may have changed since the POS has read them. It learns that from one refusal.
          const isOld = sent.every((label) => known?.includes(String(label)));
          if (!isOld || hasMissedChange) {
            return { kind: "failed", requests: [request.id], value: `labels ${JSON.stringify(sent)}` };
          }
          hasMissedChange = true;
        } else if (request.signed && changed) proof ??= passed([{ request: changed }, { request }]);
      }
      if (proof) return proof;
      return { ...NOT_SEEN, missing: [known ? "labels that change" : "labels that the POS reads"] };
    },
  },
  {
    id: "ONLINE-RETURN",
    text: "A POS that has sold online, because its card could not sign, sells with the card again when the card is ready.",
    source: OWN_RULE,
    todo: "Pull the card and sell: the POS must sell online. Insert the card, enter the PIN, and sell again.",
    change: "Ask the till's service for its status before each sale, and sell online only while it cannot sign.",
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
      return { kind: "passed", requests: [first.request.id, back.request.id] };
    },
  },
  {
    id: "ONLINE-TWICE",
    text: "A sale whose answer is lost at one of the two services is repeated there, and not sold again at the other one.",
    source: OWN_RULE,
    todo: 'Let the online service lose the answer to a sale (POST /control/do with {"vsdc":{"loseAnswers":true}}), and wait for what the POS does.',
    change:
      "Remember to which service a sale went, and repeat it there with the same RequestId until it has an answer. The other service does not know the RequestId and signs the sale again.",
    applies: isOnline,
    judge: ({ posted, sales }) => {
      for (const { request: first } of sales) {
        const twin = sales.find(
          ({ request }) =>
            request.id > first.id &&
            request.online !== first.online &&
            ((request.requestId !== null && request.requestId === first.requestId) ||
              (first.status === 0 && JSON.stringify(request.invoice) === JSON.stringify(first.invoice))),
        );
        if (twin) {
          const value = `RequestId ${twin.request.requestId ?? "none"}`;
          return { kind: "failed", requests: [first.id, twin.request.id], value };
        }
      }
      for (const lost of posted.filter(({ online, status }) => online && status === 0)) {
        const again = posted.find(
          ({ id, online, requestId, status }) =>
            id > lost.id && online && requestId !== null && requestId === lost.requestId && status === 200,
        );
        if (again) return { kind: "passed", requests: [lost.id, again.id] };
      }
      return NOT_SEEN;
    },
  },
];
