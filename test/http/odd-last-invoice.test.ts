/** Cards that answer oddly when asked for their last invoice: the service never signs over an invoice that they could still return. */
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn } from "../support/store-file.js";
import {
  AMOUNT_STATUS,
  done,
  LAST_SIGNED,
  openTamperedTill,
  SELECT,
  SIGN,
  statusWord,
  type Tamper,
  type TamperedTill,
} from "../support/tampered-till.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const [GET_RESPONSE, VERIFY_PIN] = [0xc0, 0x11];
const PKI_AID = "A000000397425446590201";

const ODD: Readonly<Record<string, Tamper>> = {
  "6F00": statusWord("6F00"),
  "6985": statusWord("6985"),
  "9000 and nothing": statusWord("9000"),
  "9000 and too little": async (answer) => done((await answer()).subarray(0, 300)),
  "9000 and rubbish, another each time": (() => {
    let time = 0;
    return async () => done(Buffer.alloc(577, ++time));
  })(),
  "9000 and the same rubbish each time": async () => done(Buffer.alloc(577, 0xa5)),
};
const BROKEN: Readonly<Record<string, Tamper>> = {
  "61xx without an end": statusWord("6110"),
  "nothing at all": async () => Promise.reject(new Error("the reader has had no answer")),
  "less than a status word": async () => Uint8Array.of(0x90),
};

function everyTime({ tampered }: TamperedTill, odd: Tamper): void {
  tampered.on(LAST_SIGNED, odd);
  tampered.on(GET_RESPONSE, async () => Buffer.from("000000006110", "hex"));
}

const order = { RequestId: "order-1" };
const post = ({ sell }: TamperedTill, RequestId: string) => sell(sale(), { RequestId });
const codeOf = async (till: TamperedTill, RequestId: string) => (await post(till, RequestId)).json().code;

/** The card has signed and its answer was lost: only the card can settle the sale. */
async function inDoubt(settings: { dataDir?: string } = {}) {
  const till = await openTamperedTill({ settings });
  await till.sell();
  till.tampered.once(SIGN, async (answer) => {
    await answer();
    return Buffer.from("6F00", "hex");
  });
  return till;
}

it.each(Object.entries(ODD))("an answer of %s once, then the right one: the sale completes at once", async (_, odd) => {
  const till = await inDoubt();
  till.tampered.once(LAST_SIGNED, odd);
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 2 });
  expect(till.cardState().totalCounter).toBe(2);
});

it.each(Object.entries(ODD))(
  "an answer of %s every time leaves the sale in doubt and signs nothing, until the card works again and completes the sale",
  async (_, odd) => {
    const till = await inDoubt();
    everyTime(till, odd);
    for (let i = 0; i < 4; i++) {
      await post(till, "order-1");
      await till.pin();
      expect(await codeOf(till, "order-2")).toMatch(/2220|1500/);
    }
    expect(till.cardState().totalCounter).toBe(2);
    expect(await till.makerCodes()).toContain("9003");
    expect(await till.makerCodes()).not.toContain("9006");
    till.tampered.asItIs();
    await till.pin();
    expect((await post(till, "order-1")).json()).toMatchObject({ totalCounter: 2 });
    expect((await post(till, "order-2")).json()).toMatchObject({ totalCounter: 3 });
    expect(await till.makerCodes()).not.toContain("9003");
  },
);

it.each(Object.entries({ ...ODD, ...BROKEN }))(
  "an answer of %s every time stops no shop without a sale in doubt",
  async (_, odd) => {
    const till = await openTamperedTill();
    await till.sell();
    everyTime(till, odd);
    await till.reinsert();
    const codes: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      codes.push((await post(till, "order-1")).json().totalCounter);
      await till.pin();
    }
    expect(codes).toContain(2);
    expect(till.cardState().totalCounter).toBe(2);
  },
);

it.each(Object.entries(BROKEN))(
  "an answer of %s leaves a sale in doubt until the card is back and works",
  async (_, broken) => {
    const till = await inDoubt();
    everyTime(till, broken);
    for (let i = 0; i < 5; i++) {
      await post(till, "order-1");
      await till.pin();
      expect((await post(till, "order-2")).status).not.toBe(200);
    }
    expect(await till.makerCodes()).toContain("9003");
    till.tampered.asItIs();
    await till.reinsert();
    expect((await post(till, "order-1")).json()).toMatchObject({ totalCounter: 2 });
    expect(till.cardState().totalCounter).toBe(2);
  },
);

it.each(["6D00", "6E00", "6A81", "6A86"])(
  "a card without the last invoice command says %s, and sells by its amounts",
  async (word) => {
    const till = await openTamperedTill();
    const { tampered } = till;
    tampered.on(LAST_SIGNED, statusWord(word));
    await till.reinsert();
    const before = tampered.times(AMOUNT_STATUS);
    for (const id of ["order-1", "order-2"]) expect((await post(till, id)).status).toBe(200);
    expect(tampered.times(AMOUNT_STATUS)).toBe(before + 2);
  },
);

it("a card without the last invoice command is not confused with a card on which another program selected another applet", async () => {
  const till = await inDoubt();
  const { tampered, card } = till;
  tampered.once(LAST_SIGNED, async (answer) => {
    await card.transmit(Buffer.from(`00A404000B${PKI_AID}`, "hex"));
    return answer();
  });
  await post(till, "order-1");
  expect((await post(till, "order-2")).json()).toMatchObject({ totalCounter: 3 });
  expect((await post(till, "order-1")).json()).toMatchObject({ totalCounter: 2 });
  expect(till.cardState().totalCounter).toBe(3);
});

it.each([true, false])("a person's decision ends a doubt that the card never settles (signed: %s)", async (signed) => {
  const dataDir = temporaryFolder();
  const till = await inDoubt({ dataDir });
  till.tampered.on(LAST_SIGNED, ODD["6F00"] as Tamper);
  for (let i = 0; i < 2; i++) {
    await post(till, "order-1");
    await till.pin();
  }
  const { inDoubt: doubts } = (await till.call("GET", "/console/reports")).json<{ inDoubt: { id: number }[] }>();
  expect(doubts).toMatchObject([{ requestId: "order-1", wayOut: "person" }]);
  const body = { id: doubts[0]?.id, signed, pin: "1234" };
  const decided = await till.call("POST", "/console/reports/decide", { headers: JSON_HEADERS, body });
  expect(decided.status).toBe(204);
  expect(await till.makerCodes()).toEqual([]);
  const repeated = await post(till, "order-1");
  if (signed) {
    expect(repeated.json()).toMatchObject({ code: "2220", details: expect.stringContaining("as invoice 2") });
  }
  expect((await post(till, "order-2")).status).toBe(200);
  await till.stop();
  // The card had signed. Where the person said otherwise, the next counter shows it.
  expect(reportsIn(dataDir)).toMatchObject(signed ? [] : [{ kind: "behind", from: 2, to: 2 }]);
});

it("identical garbage does not free the RequestId, because the card may have signed", async () => {
  const till = await openTamperedTill();
  await till.sell();
  till.tampered.on(LAST_SIGNED, ODD["9000 and the same rubbish each time"] as Tamper);
  await till.reinsert();
  till.tampered.loseNextAnswer();
  await post(till, "order-1");
  await till.reinsert();
  expect((await post(till, "order-1")).status).not.toBe(200);
  expect(till.cardState().totalCounter).toBe(2);
});

it("identical garbage is reported once, however often the card is reinserted", async () => {
  const dataDir = temporaryFolder();
  const till = await openTamperedTill({ settings: { dataDir } });
  await till.sell();
  till.tampered.on(LAST_SIGNED, ODD["9000 and the same rubbish each time"] as Tamper);
  for (let i = 0; i < 3; i++) await till.reinsert();
  await till.stop();
  expect(reportsIn(dataDir)).toMatchObject([{ kind: "unproven", from: null }]);
});

it("an odd answer costs one more SELECT and one more connection in total, not one each time", async () => {
  const till = await openTamperedTill();
  const { tampered } = till;
  tampered.on(LAST_SIGNED, statusWord("6F00"));
  await till.reinsert();
  for (let i = 0; i < 3; i++) {
    await post(till, `order-${i}`);
    await till.pin();
  }
  const [selected, verified] = [tampered.times(SELECT), tampered.times(VERIFY_PIN)];
  for (let i = 3; i < 6; i++) expect((await post(till, `order-${i}`)).status).toBe(200);
  expect([tampered.times(SELECT), tampered.times(VERIFY_PIN)]).toEqual([selected, verified]);
});
