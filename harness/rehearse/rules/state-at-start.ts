import { MANUAL_TEST, NOT_SEEN, type Rule } from "../rule.js";

const STATE = /\/(status|attention)\/?(\?|$)/i;

export const STATE_AT_START: Rule = {
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
};
