/** Pictures of QR codes as services send them. */
import omggif from "omggif";
import { PNG, type PNGOptions } from "pngjs";
import decodeQR from "qr/decode.js";
import { expect, it } from "vitest";
import { PictureError, pixelsOf } from "../../harness/conformance/pixels.js";
import { qrCode } from "../../src/fiscal/qr.js";

const URL = `https://tax-authority.test/v/?vl=${"Ab3%2F".repeat(130)}`;

/** @param colourType of ISO/IEC 15948: 0 grey, 6 RGBA */
function png(pixels: readonly number[], options: PNGOptions = {}): string {
  const image = new PNG({ width: pixels.length / 4, height: 1 });
  image.data.set(pixels);
  return `data:image/png;base64,${PNG.sync.write(image, options).toString("base64")}`;
}

it.each(["png", "gif"] as const)("the picture of a QR code is read from a %s", (format) => {
  expect(decodeQR(pixelsOf(qrCode(URL, format)), { timeLimit: 10_000 })).toBe(URL);
});

it.each([
  ["in colours", [1, 2, 3, 255], {}, [1, 2, 3, 255]],
  ["in grey", [7, 7, 7, 255], { colorType: 0 }, [7, 7, 7, 255]],
  ["on white where it is transparent", [0, 0, 0, 0, 0, 0, 0, 255], {}, [255, 255, 255, 255, 0, 0, 0, 255]],
] as const)("the picture of a QR code is read %s", (_, pixels, options, read) => {
  expect([...pixelsOf(png(pixels, options)).data]).toEqual(read);
});

it("the picture of a QR code is read from a GIF on white where it is transparent", () => {
  const out = Buffer.alloc(500);
  const gif = new omggif.GifWriter(out, 2, 1, { palette: [0, 0] });
  gif.addFrame(0, 0, 2, 1, [0, 1], { transparent: 0 });
  const { data } = pixelsOf(out.subarray(0, gif.end()).toString("base64"));
  expect([...data]).toEqual([255, 255, 255, 255, 0, 0, 0, 255]);
});

it.each([
  "",
  "data:image/png;base64,AAAA",
  png(Array<number>(4 * 5000).fill(0)),
  `${png([1, 2, 3, 255]).slice(0, 70)}AAAA`,
  qrCode(URL, "png").slice(0, 90),
])("the picture of a QR code is refused when it is not a picture or is damaged", (picture) => {
  expect(() => pixelsOf(picture)).toThrow(PictureError);
});
