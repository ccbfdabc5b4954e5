/** The recipes of docs/cookbook.md. Their receipts are made with the emulator, so a changed receipt changes the page. */
import { World } from "../../emulator/world/world.js";

interface Post {
  /** Above the request. */
  readonly title: string;
  readonly requestId?: string;
  readonly body: object;
  /** The code with which the service refuses it; undefined if it is signed. */
  readonly refused?: string;
}

interface Recipe {
  readonly title: string;
  readonly about: string;
  readonly posts: readonly Post[];
  readonly mistake: string;
}

const COFFEE = { name: "Coffee", quantity: 1, unitPrice: 200, labels: ["A"], totalAmount: 200 };
const CAKE = { name: "Cake", quantity: 2, unitPrice: 330, labels: ["B"], totalAmount: 660 };
/** What is the same on each receipt: the title, the taxpayer, and the last line. */
const SAME = /^[\s\S]*?(?=^Cashier TIN:)|\n=+\n=+ [^\n]* =+\s*$/gm;
const cash = (amount: number) => [{ amount, paymentType: "Cash" }];
const sale = { cashier: "Ana", invoiceType: "Normal", transactionType: "Sale" };
const refund = { ...sale, transactionType: "Refund" };
const TABLE = { name: "Table", quantity: 1, unitPrice: 30_000, labels: ["A"], totalAmount: 30_000 };
const part = (totalAmount: number) => [
  { name: "Advance for a table", quantity: 1, unitPrice: totalAmount, labels: ["A"], totalAmount },
];

/** In this order they are posted, so the numbers of earlier receipts are known. */
const RECIPES: readonly Recipe[] = [
  {
    title: "Discount",
    about:
      "Send the line's total as the customer pays it: it may be below quantity times price, and is printed as sent.",
    posts: [
      { title: "Cake at 10 % off", body: { ...sale, items: [{ ...CAKE, totalAmount: 594 }], payment: cash(594) } },
      {
        title: "As a negative line",
        body: {
          ...sale,
          items: [CAKE, { name: "Discount", quantity: 1, unitPrice: -66, labels: ["B"], totalAmount: -66 }],
          payment: cash(594),
        },
        refused: "2804",
      },
    ],
    mistake:
      "A line with a negative amount is refused. If your till can only send discounts so, set `negativeItems`, see [settings](settings.md).",
  },
  {
    title: "Deposit",
    about:
      "Enter a deposit, such as for a bottle, as a separate item. Its label is a question for your bookkeeper; here it is `N`, no tax.",
    posts: [
      {
        title: "A drink in a returnable bottle",
        body: {
          ...sale,
          items: [
            { name: "Lemonade", quantity: 1, unitPrice: 150, labels: ["A"], totalAmount: 150 },
            { name: "Bottle, deposit", quantity: 1, unitPrice: 20, labels: ["N"], totalAmount: 20 },
          ],
          payment: cash(170),
        },
      },
    ],
    mistake: "A deposit inside the price of the drink is taxed as the drink, and cannot be refunded alone.",
  },
  {
    title: "Packaging",
    about: "Enter packaging that costs something as a separate item, with the label of the packaging.",
    posts: [
      {
        title: "A cake to take away",
        body: {
          ...sale,
          items: [CAKE, { name: "Box", quantity: 1, unitPrice: 15, labels: ["A"], totalAmount: 15 }],
          payment: cash(675),
        },
      },
    ],
    mistake: "An item needs at least one label, also packaging: an empty list gets 2807.",
  },
  {
    title: "Change",
    about: "Send as payment what stays in the drawer. The till itself shows what it gives back.",
    posts: [
      { title: "860.00, paid with a note of 1,000", body: { ...sale, items: [COFFEE, CAKE], payment: cash(860) } },
    ],
    mistake:
      "The service does not subtract the change: if the till sends 1,000.00, the receipt says that 1,000.00 were paid, as below.",
  },
  {
    title: "Overpayment",
    about: "The payments need not add up to the total. They are printed as sent.",
    posts: [{ title: "1,000.00 for 860.00", body: { ...sale, items: [COFFEE, CAKE], payment: cash(1_000) } }],
    mistake: "The total of the receipt is the sum of its items. No payment changes it.",
  },
  {
    title: "Several payments",
    about: "Each way of paying is an entry of `payment`.",
    posts: [
      {
        title: "Cash and card",
        body: { ...sale, items: [COFFEE, CAKE], payment: [...cash(500), { amount: 360, paymentType: "Card" }] },
      },
    ],
    mistake: "`payment` is a list, also with one entry. An amount below zero gets 2804.",
  },
  {
    title: "Voucher",
    about: "A voucher is a way of paying, beside others.",
    posts: [
      {
        title: "A voucher of 500.00, the rest in cash",
        body: { ...sale, items: [COFFEE, CAKE], payment: [{ amount: 500, paymentType: "Voucher" }, ...cash(360)] },
      },
    ],
    mistake: "A voucher is not a discount: the items keep their totals, and the tax is that of the whole sale.",
  },
  {
    title: "Tip",
    about:
      "The interface has no field for a tip. If your bookkeeper wants it on the receipt, enter it as a separate item, here without tax.",
    posts: [
      {
        title: "A coffee and a tip",
        body: {
          ...sale,
          items: [COFFEE, { name: "Tip", quantity: 1, unitPrice: 50, labels: ["N"], totalAmount: 50 }],
          payment: [{ amount: 250, paymentType: "Card" }],
        },
      },
    ],
    mistake: "A tip in the price of the coffee is taxed as coffee.",
  },
  {
    title: "Buyer and cost centre",
    about:
      "In Serbia, the buyer is a code and a value, such as `10:` and the number of a company. The service does not check it.",
    posts: [
      {
        title: "For a company",
        body: { ...sale, buyerId: "10:100000001", buyerCostCenterId: "20:4711", items: [COFFEE], payment: cash(200) },
      },
    ],
    mistake: "A `buyerId` in Cyrillic is refused: the card takes ASCII.",
  },
  {
    title: "A UUID as RequestId",
    about:
      "A `RequestId` has at most 32 characters: a UUID without its hyphens. Send the same one again if no answer came: the sale is signed once.",
    posts: [
      {
        title: "32 characters",
        requestId: "2f1d0c5ab4e94d6e8a3b7c9d0e1f2a3b",
        body: { ...sale, items: [COFFEE], payment: cash(200) },
      },
      {
        title: "With hyphens",
        requestId: "2f1d0c5a-b4e9-4d6e-8a3b-7c9d0e1f2a3c",
        body: { ...sale, items: [COFFEE], payment: cash(200) },
        refused: "2803",
      },
    ],
    mistake: "If your till cannot leave the hyphens out, set `requestIdLength: 36`.",
  },
  {
    title: "Copy",
    about: "A Copy has the items and payments of the original, and names it.",
    posts: [
      {
        title: "A copy of the first receipt of this page",
        body: {
          ...sale,
          invoiceType: "Copy",
          referentDocumentNumber: "TESTCARD-TESTCARD-1",
          items: [{ ...CAKE, totalAmount: 594 }],
          payment: cash(594),
        },
      },
    ],
    mistake: "Do not post the sale once more as Normal: that is a second sale.",
  },
  {
    title: "Partial refund",
    about: "A Refund has what comes back, with amounts above zero, and names the sale.",
    posts: [
      {
        title: "One of two cakes comes back",
        body: {
          ...refund,
          referentDocumentNumber: "TESTCARD-TESTCARD-3",
          items: [{ ...CAKE, quantity: 1, totalAmount: 330 }],
          payment: cash(330),
        },
      },
    ],
    mistake: "Amounts of a refund are not negative. The minus on the receipt comes from `transactionType`.",
  },
  {
    title: "Cancelled receipt",
    about: "A signed receipt is never deleted. Refund all of it, then sell again.",
    posts: [
      {
        title: "The sale of the deposit was a mistake",
        body: {
          ...refund,
          referentDocumentNumber: "TESTCARD-TESTCARD-2",
          items: [
            { name: "Lemonade", quantity: 1, unitPrice: 150, labels: ["A"], totalAmount: 150 },
            { name: "Bottle, deposit", quantity: 1, unitPrice: 20, labels: ["N"], totalAmount: 20 },
          ],
          payment: cash(170),
        },
      },
    ],
    mistake: "A refund without the number of the sale is refused: `referentDocumentNumber` is required.",
  },
  {
    title: "Refund of an unknown number",
    about:
      "The sale was signed elsewhere, such as by an earlier card. Send its number and its time as `referentDocumentDT`: the tax rates of that time apply.",
    posts: [
      {
        title: "A sale of another till",
        body: {
          ...refund,
          referentDocumentNumber: "OLDCARD1-OLDCARD1-77",
          referentDocumentDT: "2026-11-02T10:15:00",
          items: [COFFEE],
          payment: cash(200),
        },
      },
    ],
    mistake:
      "Without the time, today's rates are used for a number that is not in the store. With `requireReferentTime` the service refuses such a refund.",
  },
  {
    title: "Advance in two parts, and the final invoice",
    about:
      "Each part is an Advance Sale that names the one before. When the goods are handed over, an Advance Refund of the whole sum names the last part, and a Normal Sale names the Advance Refund.",
    posts: [
      {
        title: "The first part",
        body: { ...sale, invoiceType: "Advance", items: part(10_000), payment: cash(10_000) },
      },
      {
        title: "The second part",
        body: {
          ...sale,
          invoiceType: "Advance",
          referentDocumentNumber: "TESTCARD-TESTCARD-15",
          items: part(20_000),
          payment: [{ amount: 20_000, paymentType: "WireTransfer" }],
        },
      },
      {
        title: "The refund of both",
        body: {
          ...refund,
          invoiceType: "Advance",
          referentDocumentNumber: "TESTCARD-TESTCARD-16",
          items: part(30_000),
          payment: [...cash(10_000), { amount: 20_000, paymentType: "WireTransfer" }],
        },
      },
      {
        title: "The final invoice",
        body: {
          ...sale,
          referentDocumentNumber: "TESTCARD-TESTCARD-17",
          items: [TABLE],
          payment: [...cash(10_000), { amount: 20_000, paymentType: "WireTransfer" }],
        },
      },
    ],
    mistake:
      "`dateAndTimeOfIssue` belongs only to an Advance Sale whose money came earlier, such as by bank. Leave it out everywhere else. It is the local time: its digits are printed as they stand, with `Z` too.",
  },
];

/** The recipes as Markdown, each request with the receipt that the emulator signs for it. @throws Error if a recipe gets another answer */
export async function cookbook(): Promise<string> {
  const world = await World.open({
    clock: { at: "2026-11-23T09:00:00Z", ticking: false },
    card: { pinVerified: true },
  });
  try {
    const parts: string[] = [];
    for (const { title, about, posts, mistake } of RECIPES) {
      const shown: string[] = [];
      for (const post of posts) shown.push(await shownPost(world.url, post));
      parts.push([`## ${title}`, about, ...shown, `**The mistake to avoid.** ${mistake}`].join("\n\n"));
    }
    return parts.join("\n\n");
  } finally {
    await world.close();
  }
}

async function shownPost(url: string, { title, requestId, body, refused }: Post): Promise<string> {
  const id: Record<string, string> = requestId === undefined ? {} : { RequestId: requestId };
  const headers = { "Content-Type": "application/json", "Accept-Language": "en-US", ...id };
  const response = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { readonly journal?: string; readonly code?: string };
  if (answer.code !== refused) throw new Error(`${title}: ${JSON.stringify(answer)}`);
  const sent = [...Object.entries(id).map(([name, value]) => `${name}: ${value}\n\n`), requestText(body)];
  const reply =
    answer.journal === undefined
      ? `The answer is ${response.status} with \`${answer.code}\`.`
      : `\`\`\`text\n${answer.journal.replaceAll("\r\n", "\n").replaceAll(SAME, "").replaceAll(/ +$/gm, "").trimEnd()}\n\`\`\``;
  return `**${title}**\n\n\`\`\`json\n${sent.join("")}\n\`\`\`\n\n${reply}`;
}

/** JSON with one field in a line, and in a list one entry. */
function requestText(body: object): string {
  const entry = (value: unknown) => JSON.stringify(value, null, 1).replaceAll(/\s*\n\s*/g, " ");
  const fields = Object.entries(body).map(([name, value]) => {
    const list = Array.isArray(value) ? `[\n${value.map((one) => `    ${entry(one)}`).join(",\n")}\n  ]` : entry(value);
    return `  "${name}": ${list}`;
  });
  return `{\n${fields.join(",\n")}\n}`;
}
