/** The one reader of text files. */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { EXIT, UserError } from "./user-error.js";

/**
 * Reads a text file. Another encoding, such as windows-1250, would put wrong letters into signed receipts.
 * @param from the file's descriptor, if it is open
 * @throws UserError if the file is not UTF-8; the system's error if it cannot be read
 */
export function readText(file: string, from: string | number = file): string {
  return textOf(readFileSync(from), file);
}

/** The text in the bytes of a file. @throws UserError if they are not UTF-8 */
export function textOf(bytes: Buffer, file: string): string {
  const text = bytes.toString("utf8");
  if (isUtf8(bytes)) return text;
  // Decoding has put another character in the place of the first wrong byte.
  const again = Buffer.from(text);
  const wrong = bytes.findIndex((byte, at) => byte !== again[at]);
  throw new UserError(`${file} is not UTF-8 (byte ${wrong + 1}): save it as UTF-8`, EXIT.usage);
}
