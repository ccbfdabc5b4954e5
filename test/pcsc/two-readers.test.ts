/** A second reader with the card of another program, such as the accountant's, or of a second service. */
import { expect, it, onTestFinished } from "vitest";
import { ATR } from "../../emulator/card/emulated-card.js";
import { VPCD_PORT, VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { serveProcess } from "../support/command.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually } from "../support/pcsc.js";
import { cardInReader } from "../support/pcsc-card.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

pcscdForFile();

/** A card without the applet, and what programs have asked it. */
function accountantsCard(port: number) {
  const asked: string[] = [];
  const transmit = async (command: Uint8Array) => {
    asked.push(Buffer.from(command).toString("hex"));
    return Buffer.from("6A82", "hex");
  };
  const link = new VpcdLink({ atr: ATR, reset: () => undefined, transmit }, { retryDelayMs: 50, port });
  onTestFinished(() => link.remove());
  return { asked, link };
}

async function tillWith(port: number) {
  const { card, reader, link } = await cardInReader({}, {}, port);
  const till = await openTill({ card, driver: reader, pinVerified: false });
  const code = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc[0];
  const cards = (count: number) =>
    eventually(() => reader.readers.filter(({ hasCard }) => hasCard).length === count, `${count} cards are seen`);
  const counter = async () => (await till.sell()).json<{ totalCounter: number }>().totalCounter;
  const verified = async () => {
    await eventually(async () => (await code()) === "1500", "the till's card is read");
    expect((await till.pin()).text).toBe("0100");
  };
  onTestFinished(async () => {
    await till.stop();
    await link.remove();
  });
  return { code, cards, counter, verified };
}

it("a card that is put into a second reader is not asked while the till's card is in use, and costs no sale and no PIN", async () => {
  const { cards, counter, verified } = await tillWith(VPCD_PORT);
  const { link, asked } = accountantsCard(VPCD_PORT + 1);
  await verified();
  expect(await counter()).toBe(1);
  for (const sale of [2, 4]) {
    await link.insert();
    await cards(2);
    expect([await counter(), asked]).toEqual([sale, []]);
    await link.remove();
    await cards(1);
    expect(await counter()).toBe(sale + 1);
  }
});

it("a card without the applet in the first reader gives way to the till's card in the second, and may come back", async () => {
  const { link } = accountantsCard(VPCD_PORT);
  await link.insert();
  const { cards, counter, verified } = await tillWith(VPCD_PORT + 1);
  await verified();
  expect(await counter()).toBe(1);
  await link.remove();
  await cards(1);
  await link.insert();
  await cards(2);
  expect(await counter()).toBe(2);
});

it("a card that is put into the second reader is found while a card without the applet is in the first", async () => {
  const first = accountantsCard(VPCD_PORT);
  await first.link.insert();
  const { card, reader, link } = await cardInReader({}, {}, VPCD_PORT + 1);
  await link.remove();
  const till = await openTill({ card, driver: reader, pinVerified: false });
  const code = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc[0];
  await eventually(async () => (await code()) === "2220", "only the card without the applet is left");
  await link.insert();
  await eventually(async () => (await code()) === "1500", "the till's card is read");
  expect((await till.pin()).text).toBe("0100");
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

/** A service as docs/speed.md starts it: with its own reader, port and data folder. */
async function serviceWith(uid: string, slot: number) {
  const { link, reader } = await cardInReader({ uid }, {}, VPCD_PORT + slot);
  await reader.close();
  const own = ["--reader", `00 0${slot}`, "--data-dir", temporaryFolder()];
  const { url } = await serveProcess(["--card", "pcsc", ...own, "--environment", "specification"]);
  const codeIs = (code: string) =>
    eventually(async () => {
      const { gsc } = (await callService(url, "GET", "/api/v3/status")).json<{ gsc: string[] }>();
      return gsc[0] === code;
    }, `the code of ${uid} is ${code}`);
  const verified = async () => {
    await codeIs("1500");
    const pin = { headers: { "Content-Type": "text/plain" }, body: "1234" };
    expect((await callService(url, "POST", "/api/v3/pin", pin)).text).toBe("0100");
  };
  const sell = async () => {
    const answer = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
    const { signedBy, totalCounter, code } = answer.json();
    return code ?? `${String(signedBy)} ${String(totalCounter)}`;
  };
  return { link, codeIs, verified, sell };
}

it("two services with their own readers, ports and data folders sell side by side, and a card that is pulled out stops only its own", async () => {
  const [first, second] = [await serviceWith("FIRSTONE", 0), await serviceWith("SECONDTW", 1)] as const;
  await Promise.all([first.verified(), second.verified()]);
  const day = async ({ sell }: typeof first) => [await sell(), await sell(), await sell()];
  expect(await Promise.all([day(first), day(second)])).toEqual([
    ["FIRSTONE 1", "FIRSTONE 2", "FIRSTONE 3"],
    ["SECONDTW 1", "SECONDTW 2", "SECONDTW 3"],
  ]);
  await first.link.remove();
  expect(await second.sell()).toBe("SECONDTW 4");
  await first.codeIs("1300");
  expect([await first.sell(), await second.sell()]).toEqual(["1300", "SECONDTW 5"]);
  await first.link.insert();
  await first.verified();
  expect(await Promise.all([first.sell(), second.sell()])).toEqual(["FIRSTONE 4", "SECONDTW 6"]);
});
