/**
 * Sends invoices that a service must refuse, and compares the codes. All are Training invoices, so it does no harm if a
 * service accepts an invoice.
 */
import { fieldsOf, jsonIn } from "../scenario/json.js";
import type { Exchange } from "../scenario/play.js";
import { NotApplicable } from "../scenario/stage.js";
import { codesOf } from "./answer-form.js";
import type { Samples } from "./invoices.js";
import { post, type Session } from "./session.js";

export async function refusals(session: Session, { plain, unknownLabel }: Samples): Promise<void> {
  const [item] = plain.items as readonly Readonly<Record<string, unknown>>[];
  const withItem = (fields: object) => ({ ...plain, items: [{ ...item, ...fields }] });
  const wrong: readonly (readonly [title: string, code: string, property: string, invoice: object])[] = [
    ["an unknown label", "2310", "items[0].labels[0]", withItem({ labels: [unknownLabel] })],
    ["no payment", "2800", "payment", { ...plain, payment: undefined }],
    ["no items", "2807", "items", { ...plain, items: [] }],
    ["an item without a name", "2800", "items[0].name", withItem({ name: undefined })],
    ["a quantity of zero", "2804", "items[0].quantity", withItem({ quantity: 0 })],
    ["three decimals in a price", "2806", "items[0].unitPrice", withItem({ unitPrice: 99.999 })],
    [
      "an unknown payment type",
      "2805",
      "payment[0].paymentType",
      { ...plain, payment: [{ amount: 100, paymentType: "Shells" }] },
    ],
    ["a cashier of 51 characters", "2801", "cashier", { ...plain, cashier: "C".repeat(51) }],
    ["a buyer of 21 characters", "2801", "buyerId", { ...plain, buyerId: "B".repeat(21) }],
    ["a Refund of nothing", "2800", "referentDocumentNumber", { ...plain, transactionType: "Refund" }],
  ];
  const sent = new Map<string, Exchange | undefined>();
  const requireDeployed = () => {
    const codes = [...sent.values()].flatMap((exchange) => (exchange?.answer ? codesOf(exchange.answer) : []));
    if (!codes.some((code) => /^280[1-9]$/.test(code)))
      throw new NotApplicable("this service has none of 2801 to 2809");
  };
  await session.case("Refusals", "codes that only deployed services have", [], async (tools) => {
    for (const [title, , , invoice] of wrong) {
      await tools.call(post("/invoices", invoice)).catch(() => undefined);
      sent.set(title, tools.exchange);
    }
    requireDeployed();
  });
  for (const [title, code, property] of wrong) {
    await session.case("Refusals", `${title} is ${code}`, [], (tools) => {
      tools.exchange = sent.get(title);
      const { answer } = tools.exchange ?? {};
      if (!answer) throw new Error("the connection broke before an answer came");
      if (!SPECIFIED.has(title)) requireDeployed();
      tools.expect({ status: 400 }, answer);
      tools.expect({ code: { $contains: code } }, { code: codesOf(answer) });
      const { modelState } = fieldsOf(jsonIn(answer.text));
      // The specification has no modelState, but clients read it. Clients ignore upper and lower case in names of
      // properties.
      if (Array.isArray(modelState)) {
        const entries = modelState.map((entry) => ({
          ...fieldsOf(entry),
          property: lowerCase(fieldsOf(entry).property),
        }));
        const wanted = { property: property.toLowerCase(), errors: { $contains: code } };
        tools.expect({ modelState: { $contains: wanted } }, { modelState: entries });
      }
    });
  }
  await session.case("Refusals", "a RequestId of 40 characters is refused", [], async (tools) => {
    const answer = await tools.call(post("/invoices", plain, { RequestId: "R".repeat(40) }));
    tools.expect({ status: 400, text: { $match: "\\d{4}" } }, answer);
  });
}

/** The others have a code that the specification does not name. */
const SPECIFIED: ReadonlySet<string> = new Set(["an unknown label", "no payment", "an item without a name"]);

const lowerCase = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
