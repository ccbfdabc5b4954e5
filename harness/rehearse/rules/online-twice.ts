import { isOnline, NOT_SEEN, OWN_RULE, type Rule } from "../rule.js";

export const ONLINE_TWICE: Rule = {
  id: "ONLINE-TWICE",
  text: "A sale whose answer is lost at one of the two services is repeated there, and not sold again at the other one.",
  source: OWN_RULE,
  todo: "Let the online service lose the answer to a sale (PATCH /control/vsdc), and wait for what the POS does.",
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
};
