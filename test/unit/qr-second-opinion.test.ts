/** `qrcode`, an independent encoder, draws the same symbols. */
import { randomBytes } from "node:crypto";
import qrcode from "qrcode";
import { expect, it } from "vitest";
import { qrModules } from "../../src/fiscal/qr.js";

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
