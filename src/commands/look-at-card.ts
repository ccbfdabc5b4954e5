/** A short look at a card, beside whatever else uses it: no PIN, no reset. */
import { ApduSecureElement } from "../secure-element/apdu/apdu-secure-element.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import type { Missing } from "../secure-element/pcsc/missing.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { endProcess } from "./end-process.js";

const looked: PcscReader[] = [];

export function readerFor(name: string | undefined): PcscReader {
  const reader = new PcscReader({
    reader: name,
    probe: selectsSecureElement,
    resetAtEnd: false,
    endsWithProcess: true,
  });
  looked.push(reader);
  return reader;
}

/** Opens the card that a reader's name leads to, and closes it again whatever happens. */
export async function lookAtCard<T>(
  name: string | undefined,
  look: (secureElement: ApduSecureElement, reader: PcscReader) => Promise<T>,
): Promise<T> {
  const reader = readerFor(name);
  const secureElement = new ApduSecureElement(reader);
  try {
    await secureElement.start();
    return await look(secureElement, reader);
  } finally {
    await secureElement.close();
  }
}

/** At the end of a command that has looked: its readers end with the process, which waits for no card that hangs. */
export function doneLooking(): void {
  if (looked.length === 0) return;
  const stuck = looked.some((reader) => reader.stuck);
  // What was said has to be out before.
  process.stdout.write("", () => endProcess(Number(process.exitCode ?? 0), stuck));
}

/** The same sentence for people and for programs, which also get its kind. */
export function sayMissing(kind: Missing | "card-error", message: string, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify({ missing: kind, message }, null, 2)}\n`);
  else process.stderr.write(`tillseal: ${message}\n`);
  process.exitCode = 1;
}
