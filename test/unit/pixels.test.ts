/** Pictures of QR codes as services send them. */
import { crc32, deflateSync } from "node:zlib";
import decodeQR from "qr/decode.js";
import { expect, it } from "vitest";
import { PictureError, pixelsOf } from "../../harness/conformance/pixels.js";
import { qrCode } from "../../src/fiscal/qr.js";

const URL = `https://tax-authority.test/v/?vl=${"Ab3%2F".repeat(130)}`;

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** @param lines each starting with its filter */
function png(width: number, colour: number, lines: readonly (readonly number[])[]): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(lines.length, 4);
  header.set([8, colour], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.from(lines.flat()));
  const parts = [signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return `data:image/png;base64,${Buffer.concat(parts).toString("base64")}`;
}

const greys = (picture: string) => [...pixelsOf(picture).data].filter((_, i) => i % 4 === 0);

it.each(["png", "gif"] as const)("the picture of a QR code is read from a %s", (format) => {
  expect(decodeQR(pixelsOf(qrCode(URL, format)), { timeLimit: 10_000 })).toBe(URL);
});

it.each([
  [
    "none",
    [
      [0, 10, 20],
      [0, 30, 60],
    ],
  ],
  [
    "left",
    [
      [1, 10, 10],
      [1, 30, 30],
    ],
  ],
  [
    "above",
    [
      [0, 10, 20],
      [2, 20, 40],
    ],
  ],
  [
    "average",
    [
      [0, 10, 20],
      [3, 25, 35],
    ],
  ],
  [
    "Paeth",
    [
      [0, 10, 20],
      [4, 20, 30],
    ],
  ],
])("the picture of a QR code is read with the filter %s", (_, lines) => {
  expect(greys(png(2, 0, lines))).toEqual([10, 20, 30, 60]);
});

it("the picture of a QR code is read in colours with alpha", () => {
  expect([...pixelsOf(png(1, 6, [[0, 1, 2, 3, 99]])).data]).toEqual([1, 2, 3, 255]);
});

it.each([
  "",
  "data:image/png;base64,AAAA",
  png(5000, 0, [[0]]),
  png(2, 0, [[9, 1, 2]]),
  qrCode(URL, "png").slice(0, 90),
])("the picture of a QR code is refused when it is not a picture or is damaged", (picture) => {
  expect(() => pixelsOf(picture)).toThrow(PictureError);
});
