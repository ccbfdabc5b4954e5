import { MANUAL_TEST, NOT_SEEN, passed, type Rule } from "../rule.js";

export const LABELS_OF_THE_SERVICE: Rule = {
  id: "TAX-001",
  text: "Tax labels come from the service. The POS refuses an unknown label itself, before it sends the invoice.",
  source: `${MANUAL_TEST}, TAX-001 and TAX-004`,
  todo: "Let the POS read the labels (status), and sell.",
  change: "Read currentTaxRates of status, offer only these labels, and read them again when the rates change.",
  judge: ({ requests, posted, sales }) => {
    const refused = posted.find(({ code }) => code === "2310");
    if (refused) return { kind: "failed", requests: [refused.id], value: labelsIn(refused.invoice) };
    const read = requests.find(
      ({ method, path, status }) => method === "GET" && /\/status\/?(\?|$)/i.test(path) && status === 200,
    );
    const after = read ? sales.filter(({ request }) => request.id > read.id) : [];
    return read && after.length > 0 ? passed([{ request: read }, ...after]) : NOT_SEEN;
  },
};

function labelsIn(invoice: unknown): string {
  const { items } = invoice as { readonly items?: unknown };
  const labels = (Array.isArray(items) ? (items as { readonly labels?: unknown }[]) : []).map(({ labels }) => labels);
  return JSON.stringify([...new Set(labels.flat())]);
}
