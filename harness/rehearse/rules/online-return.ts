import type { SentRequest } from "../../scenario/request-types.js";
import { failed, isOnline, NOT_SEEN, OWN_RULE, type Rule } from "../rule.js";

/** The largest number of sales in a row that a POS may still send online after it has seen that the card is ready. */
const STILL_ONLINE = 2;

/** Whether the answer of the till's service shows that the card can sign: the PIN was right, or status has 0100. */
function isReady({ online, code, answer }: SentRequest): boolean {
  if (online) return false;
  const { gsc } = (typeof answer === "object" && answer !== null ? answer : {}) as { readonly gsc?: unknown };
  return code === "0100" || (Array.isArray(gsc) && gsc.includes("0100") && !gsc.includes("1500"));
}

export const ONLINE_RETURN: Rule = {
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
};
