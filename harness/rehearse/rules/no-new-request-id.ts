import type { SentRequest } from "../../scenario/request-types.js";
import { MANUAL_TEST, NOT_SEEN, type Rule } from "../rule.js";
import { isRefusedContent } from "../session.js";

/** Whether the POS has to repeat the sale after this error, because the sale may still be signed. */
const isOpen = (request: SentRequest): boolean => request.status >= 400 && !isRefusedContent(request);

/**
 * Whether two requests have the same sale at the same service. A POS may sell at one service what the other service
 * refused.
 */
const sameSale = (one: SentRequest, other: SentRequest): boolean =>
  one.online === other.online && JSON.stringify(one.invoice) === JSON.stringify(other.invoice);

export const NO_NEW_REQUEST_ID: Rule = {
  id: "FORB-001-ERROR",
  text: "The POS prints nothing without a signed answer: after an error it repeats the sale with the same RequestId.",
  source: `${MANUAL_TEST}, FORB-001`,
  todo: "Let a sale be refused, for example while the card is out of the reader, and let the POS finish it.",
  change: "Print no receipt after an error. Repeat the same sale with the same RequestId, never with a new one.",
  judge: ({ posted }) => {
    const refused = posted.filter(isOpen);
    for (const first of refused) {
      const next = posted.find((request) => request.id > first.id && sameSale(request, first));
      if (next && next.requestId !== first.requestId) {
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
};
