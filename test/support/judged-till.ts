/** Tills that sell as they should, except for one mistake or one honest habit each. */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

interface Place {
  readonly url: string;
  readonly controlUrl: string;
  /** The label of the articles. */
  label?: string;
}

/** The emulator at which a till sells. */
const place = new AsyncLocalStorage<Place>();
const here = (): Place => place.getStore() ?? { url: "", controlUrl: "" };

type Fields = Readonly<Record<string, unknown>>;
type Acts = Readonly<Record<string, () => Promise<unknown>>>;

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly final?: boolean;
  readonly invoiceNumber: string;
  readonly sdcDateTime: string;
  readonly tin: string;
  readonly currentTaxRates: { readonly taxCategories: readonly { taxRates: readonly { label: string }[] }[] };
}

const JSON_TYPE = { "Content-Type": "application/json" };
const newId = () => randomUUID().replaceAll("-", "");

/** @returns undefined if no answer came */
async function call(method: string, path: string, body?: string, headers = {}, patience = 30_000) {
  try {
    const signal = AbortSignal.timeout(patience);
    const answer = await fetch(`${here().url}/api/v3/${path}`, { method, body: body ?? null, headers, signal });
    return { ...Object(JSON.parse((await answer.text()) || "null")), status: answer.status } as Answer;
  } catch {
    return undefined;
  }
}

async function control(path: string, body: object): Promise<void> {
  const sent = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
  const { ok, status } = await fetch(`${here().controlUrl}/control${path}`, sent);
  if (!ok) throw new Error(`${path} ${sent.body}: ${status}`);
}
const world = (step: object) => control("/do", step);
const fault = (on: string, kind: string, more = {}) => world({ faults: [{ on, kind, nth: 1, ...more }] });
const slowCard = () => fault("sign", "latency", { duration: "2s" });
/** A client that waits shorter than a slow card, and long enough for a busy machine. */
const hangUp = () => send(JSON.stringify(MILK), "order-1", {}, 800);
const lose = () => fault("answer", "connectionDropped");
const fillDisk = () => fault("storeIntent", "diskFull");
const failCard = () => fault("sign", "statusWord", { statusWord: "6999" });
const newLabels = () => world({ authority: "new-labels" });

const ITEM = { name: "Milk /l", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 };
const item = (fields: Fields) => ({ items: [{ ...ITEM, ...fields }] });
const paid = (amount: number, paymentType = "Cash") => ({ payment: [{ amount, paymentType }] });
const SALE = { invoiceType: "Normal", transactionType: "Sale", invoiceNumber: "123/1.0", cashier: "Ana" };
const MILK = { ...SALE, ...paid(240), items: [ITEM] };
const LOAF = { name: "Bread /pc", quantity: 1, unitPrice: 90, totalAmount: 90 };
const BREAD = { ...paid(90), ...item(LOAF) };
const LONG = "x".repeat(3000);
const REFUND = { transactionType: "Refund" };
const COPY = { invoiceType: "Copy" };
const ADVANCE = { invoiceType: "Advance" };

const status = (headers = {}) => call("GET", "status", undefined, headers);
const pin = (digits = "1234") => call("POST", "pin", digits, { "Content-Type": "text/plain" });
const send = (body: string, id: string | null, headers = {}, patience = 30_000) =>
  call("POST", "invoices", body, { ...JSON_TYPE, ...(id === null ? {} : { RequestId: id }), ...headers }, patience);
const post = (fields: Fields = {}, id: string | null = newId(), headers = {}) =>
  send(JSON.stringify({ ...MILK, ...fields }), id, headers);

/** Sells, and repeats the sale with its RequestId until there is an answer. */
async function sell(fields: Fields = {}, id = newId()): Promise<Answer> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await post(fields, id);
    if (answer?.code === "1500") await pin();
    else if (answer && (answer.status < 500 || answer.final)) return answer;
  }
  throw new Error("there is no answer");
}

async function times(count: number, act: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await act(i);
}
const inTurn =
  (...acts: readonly (() => Promise<unknown>)[]) =>
  () =>
    times(acts.length, (i) => acts[i]?.() ?? Promise.resolve());
/** Sales of other customers. */
const others = (count = 3) =>
  times(count, (i) => sell({ ...BREAD, ...item({ ...LOAF, labels: [here().label ?? "A"] }), cashier: `Eva ${i}` }));
const about = ({ invoiceNumber, sdcDateTime }: Pick<Answer, "invoiceNumber" | "sdcDateTime">, fields: Fields) =>
  sell({ referentDocumentNumber: invoiceNumber, referentDocumentDT: sdcDateTime, ...fields });
const differing = (count: number) => times(count, (i) => post({ buyerId: `10:10000000${i}` }));

/** Sells with a label that status shows. */
async function sellWithLabels(): Promise<Answer> {
  const label = (await status())?.currentTaxRates.taxCategories[0]?.taxRates[0]?.label ?? "";
  here().label = label;
  return sell(item({ labels: [label] }));
}

async function start(): Promise<void> {
  await status();
  await pin();
}

/** Mistakes of a whole day, by the row that names them. */
export const DAYS: Readonly<Record<string, Acts>> = {
  "OPS-002-STATE": {
    "no status": inTurn(
      () => post({}, "a"),
      pin,
      () => sell({}, "a"),
      others,
    ),
  },
  "OPS-002-PIN": {
    "an invoice before the PIN": inTurn(
      status,
      () => post({}, "a"),
      pin,
      () => sell({}, "a"),
      others,
    ),
    "a PIN in the program": inTurn(status, () => times(2, () => pin("0000")), start, others),
  },
  SELLS: { "nothing is signed": inTurn(start, () => times(3, (i) => post(item({ name: `${i} ${LONG}` })))) },
};

/** Mistakes after the first sale of the day, by the row that names them. Other customers buy after them. */
export const MISTAKES: Readonly<Record<string, Acts>> = {
  "OPS-002-PIN": {
    "no PIN": inTurn(
      () => world({ card: "reset" }),
      () => differing(6),
      pin,
    ),
  },
  SELLS: {
    "sales without a card": inTurn(
      () => world({ card: "remove" }),
      () => differing(5),
      () => world({ card: "insert" }),
      pin,
    ),
    "sales with a disabled card": inTurn(
      () => world({ authority: "disable" }),
      () => differing(5),
      () => world({ authority: "enable" }),
    ),
  },
  "FORB-001-LOST": {
    "a lost answer, given up": inTurn(lose, post),
    "a new RequestId after a lost answer": inTurn(lose, post, post),
    "a new RequestId after a slow card": inTurn(slowCard, hangUp, post),
    "no RequestId": inTurn(
      lose,
      () => post({}, null),
      () => post({}, null),
    ),
  },
  "FORB-001-ERROR": {
    "2220, given up": inTurn(failCard, post),
    "a new RequestId after 1999": inTurn(fillDisk, post, post),
  },
  REFUSED: {
    "a RequestId that is too long": () => post({}, "x".repeat(40)),
    "a RequestId of another sale": inTurn(
      () => post({}, "order-1"),
      () => post(BREAD, "order-1"),
    ),
    "a repeat that differs": inTurn(
      lose,
      () => post({}, "order-1"),
      () => post({ cashier: "Eva" }, "order-1"),
    ),
    "an invoice type of its own": () => post({ invoiceType: "Receipt" }),
    "a payment type of its own": () => post(paid(240, "Bitcoin")),
    "a body that is no JSON": () => send("milk=2", newId()),
    "a form in place of JSON": () => send("milk=2", newId(), { "Content-Type": "application/x-www-form-urlencoded" }),
    "a language that there is not, alone": () => post({}, newId(), { "Accept-Language": "xx, *;q=0" }),
    "a total with three decimals": () => post(item({ totalAmount: 239.999 })),
    "a discount as a negative item": () =>
      post({ items: [ITEM, { ...ITEM, name: "Discount /pc", quantity: 1, unitPrice: -20, totalAmount: -20 }] }),
    "names that are too long": () =>
      times(2, (i) => post(item({ name: `${i} ${LONG} /l`, quantity: i + 3, unitPrice: i + 5 }))),
  },
  "TAX-001": {
    "an unknown label": () => post(item({ labels: ["X"] })),
    "labels in the program": inTurn(newLabels, sellWithLabels, post),
  },
  "OPS-004": { "a line that is larger than its price": () => sell(item({ totalAmount: 250 })) },
  "OPS-007": { "a GTIN with letters": () => sell(item({ gtin: "ABCD12345" })) },
  "CAT-005": {
    "amounts that are cut off": () => sell({ ...item({ quantity: 0.5, unitPrice: 0.99, totalAmount: 0.49 }) }),
  },
  UNIT: { "an item without a unit": () => sell(item({ name: "Milk" })) },
  "ITEM-NAMES": { "a beginning of its own": () => sell(item({ name: "77: Milk /l" })) },
  "CORPORATE-CARD": { "a corporate card in cash": () => sell({ buyerId: "10:100000002", buyerCostCenterId: "50:7" }) },
  BUYER: { "a buyer without a code": () => sell({ buyerId: "100000002" }) },
  "BUYER-OPTIONAL": { "a cost centre without a code": () => sell({ buyerId: "10:100000002", buyerCostCenterId: "7" }) },
  CASHIER: { "a cashier with another code": () => sell({ cashier: "20:7" }) },
  "POS-TIME": { "the time of the POS": () => sell({ dateAndTimeOfIssue: new Date().toISOString() }) },
  "POS-NUMBER": { "a POS number with something appended": () => sell({ invoiceNumber: "123/1.0-7" }) },
  "OPS-008": {
    "a Copy of other items": async () => about(await sell(), { ...COPY, ...BREAD }),
    "a Refund of another type": async () => about(await sell(), { ...REFUND, invoiceType: "Training" }),
    "a Refund without its number": inTurn(sell, () => post(REFUND)),
    "a Refund of a number to come": async () => {
      const { invoiceNumber, sdcDateTime } = await sell();
      await about({ invoiceNumber: invoiceNumber.replace(/\d+$/, "999"), sdcDateTime }, REFUND);
    },
    "a Refund with another time": async () => {
      const { invoiceNumber } = await sell();
      await about({ invoiceNumber, sdcDateTime: "2026-01-01T00:00:00Z" }, REFUND);
    },
    "two Refunds": async () => {
      const sale = await sell();
      await times(2, () => about(sale, REFUND));
    },
    "a second Sale as a copy": async () => about(await sell(), {}),
  },
  "OPS-009": {
    "an advance that is not named": async () => {
      const advance = await sell(ADVANCE);
      await about(advance, { ...ADVANCE, ...REFUND });
      await about(advance, {});
    },
    "an advance that is closed in part": async () => {
      const advance = await sell(ADVANCE);
      const refund = await about(advance, {
        ...ADVANCE,
        ...REFUND,
        ...paid(120),
        ...item({ quantity: 1, totalAmount: 120 }),
      });
      await about(refund, {});
    },
  },
  "CASH-BACK": {
    "a copy that comes too late": async () => {
      const refund = await about(await sell(), REFUND);
      await sell();
      await about(refund, { ...COPY, ...REFUND });
    },
  },
  CANCEL: {
    "a cancellation of one of two items": async () => {
      const sale = await sell({ ...paid(330), items: [ITEM, { ...ITEM, ...LOAF }] });
      await about(sale, { ...REFUND, buyerId: `10:${sale.tin}` });
    },
  },
};

/** What a service must accept, by the row that notes it. */
export const NOTED: Readonly<Record<string, Acts>> = {
  "OPS-005": {
    "payments that are not the total": () => sell(paid(10)),
    "no payment": () => sell({ payment: [] }),
  },
  "CAT-005": {
    "tails of doubles": () => sell({ ...paid(0.1 + 0.2), ...item({ quantity: 1, unitPrice: 0.3, totalAmount: 0.3 }) }),
  },
  REFUSED: { "a misspelt field": () => sell({ cashir: "Ana" }) },
  "COND-LOCAL": { "a language of another country": () => status({ "Accept-Language": "fr-FR" }) },
  "OPS-002-STATE": { "a status for each key": () => Promise.all(Array.from({ length: 20 }, () => status())) },
  "FORB-001-LOST": {
    "a RequestId that is used again and again": inTurn(
      () => sell({}, "order-1"),
      () => others(1),
      () => sell({}, "order-1"),
    ),
  },
};

export const HONEST: Acts = {
  "a right till": async () => undefined,
  "two desks": () => Promise.all([sell(), sell({ cashier: "Eva" })]),
  "three desks that lose an answer": inTurn(lose, () => Promise.all([sell(), sell(), sell()])),
  "two tills that each ask for the PIN": inTurn(
    () => world({ card: "reset" }),
    () => Promise.all([post({}, "a"), post({}, "b")]),
    pin,
    () => Promise.all([sell({}, "a"), sell({}, "b")]),
  ),
  "a bar code in the price": async () => {
    const typed = item({ unitPrice: 4006381333931, totalAmount: 2 * 4006381333931 });
    await times(2, () => post(typed));
    await sell();
  },
  "a name that is corrected": inTurn(() => post(item({ name: LONG })), sell),
  "capital initials and numbers": () =>
    sell({ InvoiceType: 0, invoiceType: undefined, Cashier: "Ana", cashier: undefined }),
  "null and empty fields": () => sell({ buyerId: null, buyerCostCenterId: "" }),
  "a training sale in between": inTurn(
    lose,
    () => post({}, "order-1"),
    () => post({ invoiceType: "Training" }),
    () => sell({}, "order-1"),
  ),
  "the receipt by its RequestId": inTurn(
    lose,
    () => post({}, "order-1"),
    () => call("GET", "invoices/order-1"),
  ),
  "a customer who leaves after 1999": inTurn(fillDisk, post),
  "a rounded price of a pack": () =>
    sell({ ...paid(100), ...item({ quantity: 30, unitPrice: 3.33, totalAmount: 100 }) }),
  "a refund to a card": async () => {
    const card = paid(240, "Card");
    const refund = await about(await sell(card), { ...REFUND, ...card });
    await sell();
    await about(refund, { ...COPY, ...REFUND, ...card });
  },
  "a receipt that is issued anew": async () => {
    const wrong = await sell();
    await about(wrong, { ...REFUND, buyerId: `10:${wrong.tin}` });
    await about(wrong, {});
  },
  "a refund after the labels changed": async () => {
    const sale = await sell();
    await newLabels();
    await about(sale, REFUND);
    await sellWithLabels();
  },
  "a customer who leaves after 2310": inTurn(newLabels, post, sellWithLabels),
  "a limit with its audit": inTurn(
    () => world({ card: { patch: { sum: "999999999" } } }),
    () => differing(2),
    () => world({ authority: "audit" }),
  ),
  "a GET that answers 404": inTurn(
    fillDisk,
    () => post({}, "order-1"),
    () => call("GET", "invoices/order-1"),
    sell,
  ),
  "an impatient client": inTurn(
    () => fault("answer", "latency", { duration: "2s" }),
    hangUp,
    () => sell({}, "order-1"),
  ),
  "an impatient client at a slow card": inTurn(slowCard, hangUp, () => sell({}, "order-1")),
  "a test of the locked card": inTurn(
    () => control("/reset", {}),
    () => times(5, () => pin("0000")),
    () => control("/reset", {}),
    start,
  ),
  "tests in parallel": inTurn(
    () => control("/reset", {}),
    start,
    () => Promise.all([post({}, "x".repeat(40)), pin("0000"), post(item({ labels: ["X"] })), post(REFUND)]),
    () => control("/reset", {}),
    start,
  ),
};

/** Lets a till sell at an emulator. Its last request asks for attention. */
export const sellAt = (emulator: Place, act: () => Promise<unknown>): Promise<unknown> =>
  place.run(emulator, async () => {
    await act();
    await call("GET", "attention");
  });

/** A day on which other customers buy before and after what a till does. */
export const dayWith = (act: () => Promise<unknown>) => async (): Promise<void> => {
  await start();
  await others(1);
  await act();
  await others();
};
