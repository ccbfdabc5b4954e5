/** Cards that misbehave and programs that share them: a code of the catalogue, and the service lives. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { holdByAnotherProgram, resetByAnotherProgram } from "../support/other-program.js";
import { Pcscd } from "../support/pcsc.js";
import { openPcscTill } from "../support/pcsc-till.js";
import type { Answer } from "../support/till.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

const counterOf = (answer: Answer) => answer.json<{ totalCounter: number }>().totalCounter;
const codeOf = (answer: Answer) => answer.json<{ code: string }>().code;

describe("other programs on the same card", () => {
  it("gives 2220 while one holds the card for itself, and sells when it lets go", async () => {
    let letGo = async () => {};
    const till = await openPcscTill({
      pinVerified: false,
      beforeStart: async () => {
        letGo = await holdByAnotherProgram();
      },
    });
    expect(await till.cardCode()).toBe("2220");
    expect(codeOf(await till.sell())).toBe("2220");
    expect((await till.pin()).text).toBe("2220");
    await letGo();
    expect((await till.pin()).text).toBe("0100");
    expect(counterOf(await till.sell())).toBe(1);
  });

  it("wants the PIN again, 401 with 1500, after one has reset the card", async () => {
    const till = await openPcscTill();
    await till.sell();
    await resetByAnotherProgram();
    const refused = await till.sell();
    expect([refused.status, codeOf(refused)]).toEqual([401, "1500"]);
    expect((await till.pin()).text).toBe("0100");
    expect(counterOf(await till.sell())).toBe(2);
  });
});

const WITH_STATUS = (statusWord: number) => Uint8Array.of(statusWord >> 8, statusWord & 0xff);

describe("a card that misbehaves", () => {
  const ODD_ANSWERS: Record<string, Uint8Array> = {
    "one byte": Uint8Array.of(0x90),
    "a status word that nobody documented": WITH_STATUS(0x6fab),
    "garbage that ends like a success": Buffer.concat([Buffer.alloc(577, 0xa5), WITH_STATUS(0x9000)]),
    "nothing but success": WITH_STATUS(0x9000),
    "an answer without end": Buffer.concat([Buffer.alloc(256), WITH_STATUS(0x6100)]),
  };

  for (const [what, odd] of Object.entries(ODD_ANSWERS)) {
    it(`is 2220 where it answers everything with ${what}, and sells once it is itself again`, async () => {
      const till = await openPcscTill();
      till.tampered.tamper = async () => odd;
      expect(codeOf(await till.sell())).toBe("2220");
      expect((await till.call("GET", "/api/v3/status")).status).toBe(200);
      expect((await till.call("GET", "/api/v3/attention")).status).toBe(200);
      till.tampered.asItIs();
      await till.pin();
      expect(counterOf(await till.sell())).toBe(1);
      expect(till.cardState().totalCounter).toBe(1);
    });

    it(`loses nothing where it signs and answers with ${what}`, async () => {
      const till = await openPcscTill();
      till.tampered.onSign(async (answer) => {
        await answer();
        return odd;
      });
      await till.sell(undefined, { RequestId: "odd" });
      till.tampered.asItIs();
      await till.pin();
      expect(counterOf(await till.sell(undefined, { RequestId: "odd" }))).toBe(1);
      expect(till.cardState().totalCounter).toBe(1);
    });
  }

  it("is 2220 where it answers later than the time limit, and its invoice is there when it is done", async () => {
    const till = await openPcscTill({ timeLimit: 300 });
    let answerNow = () => {};
    const late = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    till.tampered.onSign(async (answer) => {
      const signed = await answer();
      await late;
      return signed;
    });
    expect(codeOf(await till.sell(undefined, { RequestId: "late" }))).toBe("2220");
    // While the native call hangs: everything is answered, and at once.
    expect(await till.cardCode()).toBe("2220");
    expect((await till.pin()).text).toBe("2220");
    till.tampered.asItIs();
    answerNow();
    await till.cardIs("1500");
    await till.pin();
    expect(counterOf(await till.sell(undefined, { RequestId: "late" }))).toBe(1);
    expect(till.cardState().totalCounter).toBe(1);
  });

  it("is 2220 in status while a signature hangs, with what is known, long before the sale is given up", async () => {
    const till = await openPcscTill();
    await till.sell();
    let answerNow = () => {};
    const late = new Promise<void>((resolve) => {
      answerNow = resolve;
    });
    till.tampered.onSign(async (answer) => {
      await late;
      return answer();
    });
    const sale = till.sell();
    await till.cardIs("2220");
    const status = await till.call("GET", "/api/v3/status");
    expect(status.json()).toMatchObject({ uid: "TESTCARD", lastInvoiceNumber: "TESTCARD-TESTCARD-1" });
    expect(status.headers.age).toMatch(/^\d+$/);
    till.tampered.asItIs();
    answerNow();
    expect(counterOf(await sale)).toBe(2);
    await till.cardIs("0100");
  });

  it("can be pulled out while it hangs, and sells when it is back", async () => {
    const till = await openPcscTill({ timeLimit: 300 });
    till.tampered.tamper = () => new Promise(() => {});
    expect(codeOf(await till.sell())).toBe("2220");
    await till.remove();
    await till.cardIs("1300");
    till.tampered.asItIs();
    await till.insert();
    await till.cardIs("1500");
    await till.pin();
    expect(counterOf(await till.sell())).toBe(1);
  });

  it("does not keep the service from stopping while it hangs", async () => {
    const till = await openPcscTill({ timeLimit: 300 });
    till.tampered.tamper = () => new Promise(() => {});
    const pending = till.sell();
    expect(codeOf(await pending)).toBe("2220");
    await till.stop();
  });
});
