/** Before the first look at the reader has ended, and while a card is being read, no answer says that there is no card. */
import { expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import type { SlotState } from "../../src/secure-element/card-reader.js";
import type { CardReason } from "../../src/secure-element/card-reason.js";
import { makeCard } from "../support/emulated-card.js";
import { freePort } from "../support/free-port.js";
import { openTamperedTill } from "../support/tampered-till.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

const CERTIFICATE = 0x04;

/** Like PC/SC: it knows no reader until it has looked, which takes until a test says so. */
class SlowReader extends EmulatedReader {
  private hasLooked = false;
  private end = () => {};
  private readonly looked = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  override get slot(): SlotState {
    return this.hasLooked ? super.slot : "no-reader";
  }

  override get why(): CardReason {
    return this.hasLooked ? super.why : { code: "noReader" };
  }

  override start(): Promise<void> {
    return this.looked;
  }

  look(): void {
    this.hasLooked = true;
    this.end();
  }
}

/** A service that has opened its port and looks at its reader. */
async function startingTill() {
  const reader = new SlowReader();
  reader.insert(makeCard());
  const port = await freePort();
  const opened = openTill({ driver: reader, settings: { port }, pinVerified: false });
  const url = `http://localhost:${port}`;
  await expect.poll(() => callService(url, "GET", "/api/v3/attention").then(({ status }) => status, String)).toBe(200);
  const status = async () => (await callService(url, "GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
  const pin = async () => (await callService(url, "POST", "/api/v3/pin", { body: "1234" })).text;
  const sell = async () => {
    const answer = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
    return { code: answer.json<{ code?: string }>().code, text: answer.text };
  };
  const ready = async () => (await callService(url, "GET", "/ready")).json<{ ready: boolean; missing: string[] }>();
  return { reader, opened, status, pin, sell, ready };
}

it("a service that has not looked at its reader lets PIN and sale wait for it, and says in its status that it looks", async () => {
  const { reader, opened, status, pin, sell, ready } = await startingTill();
  const answers = Promise.all([pin(), sell()]);
  expect([await status(), await ready()]).toEqual([["2220"], { ready: false, missing: ["2220"] }]);
  reader.look();
  expect((await answers)[0]).toBe("0100");
  expect(["1500", undefined]).toContain((await answers)[1].code);
  const { call, stop } = await opened;
  expect((await call("GET", "/api/v3/status")).json()).toMatchObject({ gsc: ["0100"] });
  await stop();
});

it("a service whose look at the reader takes longer than a request waits refuses with 2220, and sells afterwards", async () => {
  const { reader, opened, pin, sell } = await startingTill();
  const [refused, refusedSale] = await Promise.all([pin(), sell()]);
  expect([refused, refusedSale.code]).toEqual(["2220", "2220"]);
  expect(refusedSale.text).toContain("has not looked at the card reader yet");
  reader.look();
  await opened;
  expect(await pin()).toBe("0100");
  expect((await sell()).code).toBeUndefined();
});

it("a card that was put in is not missing while the service reads it", async () => {
  const { tampered, card, call } = await openTamperedTill({ pinVerified: false });
  const codes = async () => (await call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
  const missing = async () => (await call("GET", "/ready")).json<{ missing: string[] }>().missing;
  tampered.reader.remove();
  expect(await codes()).toEqual(["1300"]);
  const read = tampered.hold(CERTIFICATE);
  tampered.reader.insert(card);
  expect([await codes(), await missing()]).toEqual([["2220"], ["2220"]]);
  read();
  await expect.poll(codes).toEqual(["1500"]);
});
