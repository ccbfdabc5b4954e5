import type { SentRequest } from "../../scenario/request-types.js";
import { failed, MANUAL_TEST, NOT_SEEN, type Rule } from "../rule.js";

const isPin = ({ method, path }: SentRequest): boolean => method === "POST" && /\/pin\/?(\?|$)/i.test(path);

/**
 * The largest number of refused invoices that a POS may send without a PIN. A POS may learn from a refusal that the PIN
 * is missing.
 */
const STILL_WITHOUT_PIN = 2;

/** Whether the answer, an error or the status, has this code. */
function answersWith({ answer, code }: SentRequest, sought: string): boolean {
  if (code === sought) return true;
  const { gsc } = (typeof answer === "object" && answer !== null ? answer : {}) as { readonly gsc?: unknown };
  return Array.isArray(gsc) && gsc.includes(sought);
}

/** Whether the answer shows that there is no card, or that the card needs its PIN. */
const needsPin = (request: SentRequest): boolean => answersWith(request, "1300") || answersWith(request, "1500");

export const PIN_AFTER_CARD: Rule = {
  id: "OPS-002-PIN",
  text: "After the card was removed and inserted, the POS asks for the PIN again and sends it.",
  source: `${MANUAL_TEST}, OPS-002`,
  todo: "Pull the card, insert it again, and sell. Enter the PIN when the POS asks for it.",
  change: "If status or an invoice answers 1300 or 1500, ask the cashier for the card and the PIN, and send POST pin.",
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
};
