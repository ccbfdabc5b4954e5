/** QR codes of receipts are read by somebody else's reader, as they are and as a printer makes them. */
import omggif from "omggif";
import { describe, expect, it } from "vitest";
import { qrCode } from "../../src/fiscal/qr.js";
import { type Pixels, scan } from "../support/scanner.js";
import { openTill, sale } from "../support/till.js";

/** Dots in a line at 203 dpi: paper of 58 mm, paper of 80 mm. */
const PRINTERS = [384, 576];

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, "base64"));

function gifPixels(gif: Uint8Array): Pixels {
  const reader = new omggif.GifReader(Buffer.from(gif));
  const data = new Uint8ClampedArray(reader.width * reader.height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { data, width: reader.width, height: reader.height };
}

/** As cheap drivers do it: the nearest dot, no grey. */
function scaled({ data, width, height }: Pixels, dots: number): Pixels {
  const out = new Uint8ClampedArray(dots * dots * 4);
  for (let y = 0; y < dots; y++) {
    for (let x = 0; x < dots; x++) {
      const from = (Math.floor((y * height) / dots) * width + Math.floor((x * width) / dots)) * 4;
      out.set(data.subarray(from, from + 4), (y * dots + x) * 4);
    }
  }
  return { data: out, width: dots, height: dots };
}

async function receipt(fields: object, profile: Record<string, unknown> = {}) {
  const till = await openTill({ profile });
  const answer = (await till.sell({ ...sale(), ...fields })).json<{
    verificationUrl: string;
    verificationQRCode: string;
  }>();
  return answer;
}

describe("the QR code of a receipt", () => {
  it.each([
    ["of an ordinary one", {}, {}],
    ["with the longest buyer id", { buyerId: "x".repeat(20) }, {}],
    ["of a card with 512 bytes of internal data", {}, { internalDataBytes: 512 }],
  ])("%s says the verification URL, as PNG and as GIF", async (_, fields, profile) => {
    const { verificationUrl, verificationQRCode } = await receipt(fields, profile);
    expect(await scan(bytesOf(verificationQRCode.replace("data:image/png;base64,", "")))).toEqual([verificationUrl]);
    expect(await scan(gifPixels(bytesOf(await qrCode(verificationUrl, "gif"))))).toEqual([verificationUrl]);
  });

  it.each(PRINTERS)("is read after a printer of %d dots has scaled it to its paper", async (dots) => {
    const { verificationUrl } = await receipt({ buyerId: "10:123456789" });
    const pixels = gifPixels(bytesOf(await qrCode(verificationUrl, "gif")));
    expect(await scan(scaled(pixels, dots))).toEqual([verificationUrl]);
  });

  it("that is damaged says nothing wrong", async () => {
    const { verificationUrl } = await receipt({});
    const pixels = gifPixels(bytesOf(await qrCode(verificationUrl, "gif")));
    pixels.data.fill(0, 0, pixels.data.length / 2);
    expect(await scan(pixels)).toEqual([]);
  });
});
