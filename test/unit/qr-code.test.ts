/** QR codes as an independent encoder draws them and an independent reader scans them, directly and after printing. */
import { randomBytes } from "node:crypto";
import { inflateSync } from "node:zlib";
import omggif from "omggif";
import qrcode from "qrcode";
import { expect, it } from "vitest";
import { qrCode, qrModules } from "../../src/fiscal/qr.js";
import { QrThread } from "../../src/http/qr-thread.js";
import { type Pixels, scan } from "../support/scanner.js";
import { openTill, sale } from "../support/till.js";

/** How many codes must be readable after each printer width. */
const CODES = 30;

/** Dots per line at 203 dpi for paper of 58 mm and 80 mm. */
const PRINTERS = [384, 576];

const base64Of = (dataUri: string) => dataUri.replace("data:image/png;base64,", "");
const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

function gifPixels(gif: Uint8Array): Pixels {
  const reader = new omggif.GifReader(Buffer.from(gif));
  const data = new Uint8ClampedArray(reader.width * reader.height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { data, width: reader.width, height: reader.height };
}

/** Nearest dot and no grey, as cheap drivers do it. */
function scaled({ data, width, height }: Pixels, dots: number): Pixels {
  const pixels = new Uint32Array(data.slice().buffer);
  const out = new Uint32Array(dots * dots);
  for (let y = 0; y < dots; y++) {
    const row = Math.floor((y * height) / dots) * width;
    for (let x = 0; x < dots; x++) out[y * dots + x] = pixels[row + Math.floor((x * width) / dots)] ?? 0;
  }
  return { data: new Uint8ClampedArray(out.buffer), width: dots, height: dots };
}

async function receipt(fields: object, profile: Record<string, unknown> = {}) {
  const till = await openTill({ profile });
  const answer = (await till.sell({ ...sale(), ...fields })).json<{
    verificationUrl: string;
    verificationQRCode: string;
  }>();
  return answer;
}

it.each([
  ["of an ordinary one", {}, {}],
  ["with the longest buyer id", { buyerId: "x".repeat(20) }, {}],
  ["of a card with 512 bytes of internal data", {}, { internalDataBytes: 512 }],
])("the QR code of a receipt %s contains the verification URL, as PNG and as GIF", async (_, fields, profile) => {
  const { verificationUrl, verificationQRCode } = await receipt(fields, profile);
  expect(await scan(bytesOf(base64Of(verificationQRCode)))).toEqual([verificationUrl]);
  expect(await scan(gifPixels(bytesOf(qrCode(verificationUrl, "gif"))))).toEqual([verificationUrl]);
});

it.each(PRINTERS)("the QR code of a receipt can be read with any signature at %d dots", async (dots) => {
  for (let code = 0; code < CODES; code++) {
    // A buyer id of up to 20 bytes makes the data longer.
    const bytes = randomBytes(572 + (code % 21));
    const url = `https://suf.purs.gov.rs/v/?vl=${encodeURIComponent(bytes.toString("base64"))}`;
    expect(await scan(bytesOf(base64Of(qrCode(url, "png"))))).toEqual([url]);
    expect(await scan(scaled(gifPixels(bytesOf(qrCode(url, "gif"))), dots))).toEqual([url]);
  }
});

it("the QR code of a receipt has the same pixels as PNG and as GIF: 4 per module, inside a quiet zone of 4 modules", () => {
  const png = Buffer.from(base64Of(qrCode("https://example.org/v/?vl=AAAA", "png")), "base64");
  const { data, width, height } = gifPixels(bytesOf(qrCode("https://example.org/v/?vl=AAAA", "gif")));
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
  const lines = inflateSync(png.subarray(png.indexOf("IDAT") + 4, png.indexOf("IEND") - 8));
  const length = lines.length / height;
  const pixels = Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return ((lines[y * length + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
  });
  expect(pixels).toEqual(Array.from({ length: width * height }, (_, i) => (data[i * 4] === 255 ? 1 : 0)));
  const firstDark = pixels.indexOf(0);
  expect([firstDark % width, Math.floor(firstDark / width)]).toEqual([16, 16]);
  // The top row of the finder pattern is seven modules long.
  expect(pixels.indexOf(1, firstDark) - firstDark).toBe(7 * 4);
});

/** The mask of our symbols (docs/decisions/README.md). */
const MASK = 3;
/** Bytes in the URL with 256 and with 512 bytes of internal data, each without and with the longest buyer id. */
const SIZES = [572, 592, 828, 848];

const drawn = (rows: readonly (readonly boolean[])[]) =>
  rows.map((row) => row.map((dark) => (dark ? "#" : ".")).join("")).join("\n");

/** Given the version of our symbol, its mask and its level. */
function secondOpinion(url: string, version: number): string {
  const options = { version, errorCorrectionLevel: "L", maskPattern: MASK } as const;
  const { modules } = qrcode.create([{ data: Buffer.from(url), mode: "byte" }], options);
  const rows = Array.from({ length: modules.size }, (_, y) =>
    Array.from({ length: modules.size }, (_, x) => modules.get(y, x) !== 0),
  );
  return drawn(rows);
}

it.each(SIZES)("the service draws each module of 50 verification URLs with %d bytes like another encoder", (bytes) => {
  for (let n = 0; n < 50; n++) {
    const url = `https://suf.purs.gov.rs/v/?vl=${encodeURIComponent(randomBytes(bytes).toString("base64"))}`;
    const modules = qrModules(url);
    expect(secondOpinion(url, (modules.length - 17) / 4)).toBe(drawn(modules));
  }
});

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
