import { allSeen, failed, INSTRUCTION, type Rule } from "../rule.js";
import type { Sale } from "../session.js";

const BUYER = /^(1[0-6]|2[0-3]|3[0-6]|40):\S/;

/**
 * Reads the buyer from the request's body. `invoice` leaves out an empty buyer, but the service may print an empty line
 * for an empty buyer.
 */
function sentBuyer({ request: { body } }: Sale): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  return Object.entries(body).find(([name]) => name.toLowerCase() === "buyerid")?.[1] as unknown;
}

function mistakeIn(sale: Sale): string | undefined {
  const buyer = sentBuyer(sale);
  if (typeof buyer === "string" && buyer.trim() === "") return "buyerId is empty";
  const { buyerId } = sale.invoice;
  return buyerId === undefined || BUYER.test(buyerId) ? undefined : `buyerId ${JSON.stringify(buyerId)}`;
}

export const BUYER_FORM: Rule = {
  id: "BUYER",
  text: "Receipts are issued with and without a buyer. A buyer has the form NN:value, with one of the codes 10 to 16, 20 to 23, 30 to 36 and 40.",
  source: INSTRUCTION,
  todo: "Sell once with a buyer (10: and a company's tax number), and once without.",
  change: "Send buyerId as code, colon and value, and leave the field out if there is no buyer.",
  judge: ({ sales }) => {
    const wrong = sales.filter((sale) => mistakeIn(sale) !== undefined);
    const [first] = wrong;
    if (first) return failed(wrong, mistakeIn(first) ?? "");
    const shows = { "with a buyer": true, "without a buyer": false };
    return allSeen(Object.keys(shows), (name) =>
      sales.find(({ invoice }) => (invoice.buyerId !== undefined) === shows[name as keyof typeof shows]),
    );
  },
};
