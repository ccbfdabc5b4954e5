/** QR codes drawn in another thread are those that are drawn here, and come also where there is no thread. */
import { expect, it } from "vitest";
import { qrCode } from "../../src/fiscal/qr.js";
import { QrThread } from "../../src/http/qr-thread.js";

const URLS = ["a", "b", "c"].map((text) => `https://example.org/v/?vl=${text.repeat(400)}`);
const HERE = URLS.map((url) => qrCode(url, "png"));

it("draws each code for the one who wants it", async () => {
  const thread = new QrThread();
  expect(await Promise.all(URLS.map((url) => thread.draw(url)))).toEqual(HERE);
});

it("draws them here where the thread cannot run", async () => {
  const thread = new QrThread("/there/is/none.js");
  expect(await Promise.all(URLS.map((url) => thread.draw(url)))).toEqual(HERE);
  expect(await thread.draw(URLS[0] ?? "")).toBe(HERE[0]);
});
