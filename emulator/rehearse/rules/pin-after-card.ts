import type { SentRequest } from "../../scenario/request-types.js";
import { MANUAL_TEST, NOT_SEEN, type Rule } from "../rule.js";

const isPin = ({ method, path }: SentRequest): boolean => method === "POST" && /\/pin\/?(\?|$)/i.test(path);

/** How many invoices in a row a POS may send in vain: the first one may be how it learns that the PIN is missing. */
const IN_VAIN = 3;

/** Whether the answer says that there is no card, or that it needs its PIN. */
function needsPin({ answer, code }: SentRequest): boolean {
  if (code === "1300" || code === "1500") return true;
  const { gsc } = (typeof answer === "object" && answer !== null ? answer : {}) as { readonly gsc?: unknown };
  return Array.isArray(gsc) && (gsc.includes("1300") || gsc.includes("1500"));
}

export const PIN_AFTER_CARD: Rule = {
  id: "OPS-002-PIN",
  text: "After the card was removed and inserted, the POS asks for the PIN again and sends it.",
  source: `${MANUAL_TEST}, OPS-002`,
  todo: "Pull the card, insert it again, and sell. Enter the PIN when the POS asks for it.",
  change: "If status or an invoice answers 1300 or 1500, ask the cashier for the card and the PIN, and send POST pin.",
  judge: ({ requests }) => {
    const needed = requests.filter(needsPin);
    const [first] = needed;
    if (!first) return NOT_SEEN;
    const pin = requests.find((request) => request.id > first.id && isPin(request) && request.code === "0100");
    const refused = needed.filter(
      ({ id, code, invoice }) => invoice !== null && code === "1500" && id < (pin?.id ?? Infinity),
    );
    if (refused.length >= IN_VAIN && !requests.some((request) => isPin(request) && request.id > first.id)) {
      return { kind: "failed", requests: refused.map(({ id }) => id), value: "1500" };
    }
    return pin ? { kind: "passed", requests: [first.id, pin.id] } : NOT_SEEN;
  },
};
