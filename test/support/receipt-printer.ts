/**
 * A virtual ESC/POS receipt printer: bytes in, lines of text and a picture out. It follows Epson's description of the
 * commands, decodes text independently, and refuses every unknown command.
 */
import encodeQR from "qr";
import type { Pixels } from "./scanner.js";

export interface Printed {
  readonly lines: readonly string[];
  /** Black and white, as wide as the paper; text leaves blank space. */
  readonly picture: Pixels;
  readonly qrCommands: number;
  readonly cut: boolean;
}

const ENCODINGS: Readonly<Record<number, string>> = { 16: "windows-1252", 45: "windows-1250", 46: "windows-1251" };
/** Width and height in dots of a character of font A and font B. */
const FONTS = [
  { width: 12, height: 30 },
  { width: 9, height: 24 },
] as const;

/** @param dots width of the paper */
export function printed(bytes: Uint8Array, dots: number): Printed {
  const rows: boolean[][] = [];
  const lines: string[] = [];
  let [at, line, encoding, font, centred, cut] = [0, "", "windows-1252", 0, false, false];
  let qr = { module: 3, data: "", level: 0x30 };
  let qrCommands = 0;
  const take = (length = 1) => {
    if (at + length > bytes.length) throw new Error("the bytes end inside a command");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const one = () => take()[0] ?? 0;
  const two = () => one() + 256 * one();
  const feed = (height: number) => {
    for (let y = 0; y < height; y++) rows.push(new Array<boolean>(dots).fill(false));
  };
  const endLine = () => {
    if ([...line].length * (FONTS[font]?.width ?? 0) > dots) throw new Error(`wider than the paper: ${line}`);
    lines.push(line);
    line = "";
    feed(FONTS[font]?.height ?? 0);
  };
  const draw = (width: number, height: number, isBlack: (x: number, y: number) => boolean) => {
    if (line !== "" || width > dots) throw new Error("a picture must be on its own line and fit on the paper");
    const left = centred ? Math.floor((dots - width) / 2) : 0;
    for (let y = 0; y < height; y++) {
      rows.push(Array.from({ length: dots }, (_, x) => x >= left && x < left + width && isBlack(x - left, y)));
    }
  };
  const qrFunction = () => {
    const parameters = take(two());
    const [symbol, what, value = 0] = parameters;
    if (symbol !== 0x31) throw new Error(`GS ( k ${symbol}: not about QR codes`);
    if (what === 0x41 && value === 0x32) return;
    if (what === 0x43) qr = { ...qr, module: value };
    else if (what === 0x45) qr = { ...qr, level: value };
    else if (what === 0x50) qr = { ...qr, data: Buffer.from(parameters.subarray(3)).toString("latin1") };
    else if (what === 0x51) {
      if (qr.level !== 0x30) throw new Error("not level L");
      const modules = encodeQR(qr.data, "raw", { ecc: "low", encoding: "byte", border: 1 });
      const inner = modules.slice(1, -1).map((row) => row.slice(1, -1));
      const side = inner.length * qr.module;
      draw(side, side, (x, y) => inner[Math.floor(y / qr.module)]?.[Math.floor(x / qr.module)] === true);
      qrCommands++;
    } else throw new Error(`GS ( k 49 ${what}: unknown`);
  };
  const raster = () => {
    if (one() !== 0) throw new Error("a scaled picture");
    const [rowBytes, height] = [two(), two()];
    const data = take(rowBytes * height);
    draw(rowBytes * 8, height, (x, y) => (((data[y * rowBytes + (x >> 3)] ?? 0) << (x & 7)) & 0x80) !== 0);
  };
  const COMMANDS: Readonly<Record<string, () => void>> = {
    "1b40": () => {
      [encoding, font, centred] = ["windows-1252", 0, false];
    },
    "1b74": () => {
      const page = ENCODINGS[one()];
      if (page === undefined) throw new Error("an unknown code page");
      encoding = page;
    },
    "1b4d": () => {
      font = one();
    },
    "1b61": () => {
      centred = one() === 1;
    },
    "1b64": () => {
      for (let n = one(); n > 0; n--) feed(FONTS[font]?.height ?? 0);
    },
    "1c2e": () => undefined,
    "1d286b": qrFunction,
    "1d7630": raster,
    "1d5642": () => {
      one();
      cut = true;
    },
  };
  while (at < bytes.length) {
    const byte = one();
    if (byte === 0x0a) endLine();
    else if (byte >= 0x20) line += new TextDecoder(encoding, { fatal: true }).decode(Uint8Array.of(byte));
    else {
      let name = byte.toString(16) + one().toString(16).padStart(2, "0");
      if (byte === 0x1d) name += one().toString(16).padStart(2, "0");
      const command = COMMANDS[name];
      if (!command) throw new Error(`${name} is not a command`);
      command();
    }
  }
  return { lines, picture: pixelsOf(rows, dots), qrCommands, cut };
}

function pixelsOf(rows: readonly boolean[][], width: number): Pixels {
  const data = new Uint8ClampedArray(width * rows.length * 4).fill(255);
  rows.forEach((row, y) => {
    row.forEach((isBlack, x) => {
      if (isBlack) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    });
  });
  return { data, width, height: rows.length };
}
