/** QR codes from the worker thread equal those drawn on the main thread, which also serves when there is no worker. */
import { expect, it } from "vitest";
import { qrCode } from "../../src/fiscal/qr.js";
import { QrThread } from "../../src/http/qr-thread.js";

const URLS = ["a", "b", "c"].map((text) => `https://example.org/v/?vl=${text.repeat(400)}`);
const HERE = URLS.map((url) => qrCode(url, "png"));

it("the thread for QR codes returns each code to its own caller", async () => {
  const thread = new QrThread();
  expect(await Promise.all(URLS.map((url) => thread.draw(url)))).toEqual(HERE);
});

it("the thread for QR codes draws on the main thread when the worker cannot run", async () => {
  const thread = new QrThread("/there/is/none.js");
  expect(await Promise.all(URLS.map((url) => thread.draw(url)))).toEqual(HERE);
  expect(await thread.draw(URLS[0] ?? "")).toBe(HERE[0]);
});
