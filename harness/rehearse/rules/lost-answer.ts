import type { SentRequest } from "../../scenario/request-types.js";
import { MANUAL_TEST, NOT_SEEN, type Rule } from "../rule.js";

/** Whether the POS asks for the receipt of this RequestId (GET /invoices/RequestId). */
const asksFor = ({ method, path }: SentRequest, requestId: string): boolean =>
  method === "GET" && path.endsWith(`/invoices/${encodeURIComponent(requestId)}`);

export const LOST_ANSWER: Rule = {
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
};
