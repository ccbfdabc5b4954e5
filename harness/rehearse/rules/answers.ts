/** What a POS does after an error or without an answer. */

import { fieldsOf } from "../../scenario/json.js";
import { type Finding, failed, isOnline, MANUAL_TEST, NOT_SEEN, OWN_RULE, passed, type UntitledRule } from "../rule.js";
import { asksFor, isRefusedContent, type JudgedRequest, type Session } from "../session.js";

/** Whether the service says that there will never be a receipt. */
const isFinal = ({ answer }: JudgedRequest): boolean => fieldsOf(answer).final === true;

/** Whether the POS has to repeat the sale after this error, because the sale may still be signed. */
const isError = (request: JudgedRequest): boolean =>
  request.status >= 400 && !isRefusedContent(request) && !isFinal(request);
const isLost = ({ status }: JudgedRequest): boolean => status === 0;

const repeats = (later: JudgedRequest, { id, online, requestId }: JudgedRequest): boolean =>
  later.id > id && later.online === online && requestId !== null && later.requestId === requestId;

/** Whether the POS knows from a later answer whether the sale was signed. */
const settles = (later: JudgedRequest, first: JudgedRequest): boolean =>
  later.id > first.id &&
  (asksFor(later, first.requestId)
    ? later.status === 200 || later.status === 404
    : repeats(later, first) && (later.status === 200 || isRefusedContent(later) || isFinal(later)));

/** Whether two requests have the same sale. A POS may read its clock again before it repeats one. */
const sameContent = (one: JudgedRequest, other: JudgedRequest): boolean => contentOf(one) === contentOf(other);

const contentOf = ({ invoice }: JudgedRequest): string =>
  JSON.stringify(invoice, (name, value: unknown) => (name === "dateAndTimeOfIssue" ? undefined : value));

/** The number of later sales after which a sale counts as given up. */
const LEFT_AFTER = 3;

/**
 * Judges sales without an answer.
 * @param mustEnd whether a sale must be finished, even if the customer leaves
 */
function unfinished(
  { posted, requests, sales }: Session,
  isOpen: (request: JudgedRequest) => boolean,
  mustEnd: (request: JudgedRequest) => boolean,
): Finding {
  const open = posted.filter(isOpen);
  const left = open.filter((first) => !requests.some((later) => settles(later, first)));
  for (const first of left) {
    const later = posted.filter((request) => request.id > first.id && sameContent(request, first));
    const isNext = (twin: JudgedRequest) =>
      !sales.some(({ request: { id, requestId } }) => id > first.id && id < twin.id && requestId !== twin.requestId);
    // A POS may sell at one service what the other service refused. After an error that lets the customer leave, another
    // one may buy the same later.
    const twin = later.find(
      (request) =>
        request.online === first.online &&
        (request.requestId === null || request.requestId !== first.requestId) &&
        (mustEnd(first) || isNext(request)),
    );
    // If the POS repeats the sale, too, the other one is another cash desk's.
    if (twin && !posted.some((request) => repeats(request, first) && !isLost(request))) {
      return failed([first, twin], `RequestId ${twin.requestId ?? "none"}`);
    }
    if (!mustEnd(first) || later.some(({ online }) => online !== first.online)) continue;
    const last = posted.findLast((request) => request.id === first.id || repeats(request, first));
    const others = sales.filter(({ request }) => request.id > (last?.id ?? 0) && !repeats(request, first));
    if (others.length >= LEFT_AFTER) {
      const value = `the sale with RequestId ${first.requestId ?? "none"} is left without an answer; ${others.length} others were signed after it`;
      return failed([first], value);
    }
  }
  const settled = open.flatMap((first) => {
    const end = requests.find(
      (later) => later.status === 200 && settles(later, first) && (isLost(first) || repeats(later, first)),
    );
    return end ? [first, end] : [];
  });
  return settled.length === 0 ? NOT_SEEN : passed(settled.slice(0, 4));
}

export const ANSWER_RULES: readonly UntitledRule[] = [
  {
    id: "FORB-001-ERROR",
    source: `${MANUAL_TEST}, FORB-001`,
    atEnd: true,
    judge: (span) => unfinished(span, isError, ({ code }) => code === "2220"),
  },
  {
    id: "FORB-001-LOST",
    source: `${MANUAL_TEST}, FORB-001`,
    atEnd: true,
    judge: (span) => unfinished(span, isLost, () => true),
  },
  {
    id: "ONLINE-TWICE",
    source: OWN_RULE,
    applies: isOnline,
    judge: ({ posted, sales }) => {
      const signed = sales.map(({ request }) => request);
      for (const first of signed) {
        const hasId = ({ requestId }: JudgedRequest) => requestId !== null && requestId === first.requestId;
        const twin = signed.find(
          (other) =>
            other.id > first.id &&
            other.online !== first.online &&
            (hasId(other) || (isLost(first) && sameContent(other, first))),
        );
        if (twin) return failed([first, twin], `RequestId ${twin.requestId ?? "none"}`);
      }
      for (const lost of posted.filter((request) => request.online && isLost(request))) {
        const again = posted.find((other) => repeats(other, lost) && other.status === 200);
        if (again) return passed([lost, again]);
      }
      return NOT_SEEN;
    },
  },
];
