/** Faulty cards and programs that share them: each gives a code of the catalogue, and the service survives. */
import { expect, it } from "vitest";
import { pcscdForFile } from "../support/file-pcscd.js";
import { holdByAnotherProgram, resetByAnotherProgram } from "../support/other-program.js";
import { openPcscTill } from "../support/pcsc-till.js";
import type { Answer } from "../support/till.js";

pcscdForFile();

const counterOf = (answer: Answer) => answer.json<{ totalCounter: number }>().totalCounter;
const codeOf = (answer: Answer) => answer.json<{ code: string }>().code;

it("other programs on the same card gives 2220 while another program locks it, and sells when it is released", async () => {
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

it("other programs on the same card needs the PIN again, 401 with 1500, after another program has reset it", async () => {
  const till = await openPcscTill();
  await till.sell();
  await resetByAnotherProgram();
  const refused = await till.sell();
  expect([refused.status, codeOf(refused)]).toEqual([401, "1500"]);
  expect((await till.pin()).text).toBe("0100");
  expect(counterOf(await till.sell())).toBe(2);
});

const WITH_STATUS = (statusWord: number) => Uint8Array.of(statusWord >> 8, statusWord & 0xff);

const ODD_ANSWERS: Record<string, Uint8Array> = {
  "one byte": Uint8Array.of(0x90),
  "an undocumented status word": WITH_STATUS(0x6fab),
  "garbage with a success status": Buffer.concat([Buffer.alloc(577, 0xa5), WITH_STATUS(0x9000)]),
  "nothing but success": WITH_STATUS(0x9000),
  "an endless answer": Buffer.concat([Buffer.alloc(256), WITH_STATUS(0x6100)]),
};

for (const [what, odd] of Object.entries(ODD_ANSWERS)) {
  it(`a faulty card gives 2220 while it answers everything with ${what}, and sells once it works again`, async () => {
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

  it(`a faulty card loses nothing when it signs and answers with ${what}`, async () => {
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

it("a faulty card gives 2220 when it answers after the time limit, and its invoice is there once it has answered", async () => {
  const till = await openPcscTill({ timeLimitMs: 300 });
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
  // While the native call hangs, everything else is answered at once.
  expect(await till.cardCode()).toBe("2220");
  expect((await till.pin()).text).toBe("2220");
  till.tampered.asItIs();
  answerNow();
  // The card is back with its PIN, and the sale is in doubt.
  await till.cardIs("1999");
  expect(counterOf(await till.sell(undefined, { RequestId: "late" }))).toBe(1);
  expect(till.cardState().totalCounter).toBe(1);
});

it("a faulty card can be pulled out while it hangs, and sells when it is back", async () => {
  const till = await openPcscTill({ timeLimitMs: 300 });
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

it("a faulty card does not keep the service from stopping while it hangs", async () => {
  const till = await openPcscTill({ timeLimitMs: 300 });
  till.tampered.tamper = () => new Promise(() => {});
  const pending = till.sell();
  expect(codeOf(await pending)).toBe("2220");
  await till.stop();
});
