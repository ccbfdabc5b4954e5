/** Reads a card briefly while other programs use it, so it sends no PIN and does not reset the card. */
import { ApduSecureElement } from "../secure-element/apdu/apdu-secure-element.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import type { PcscModule } from "../secure-element/pcsc/binding.js";
import { bindingOf, PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { trackReader } from "./ending.js";

export function readerFor(name: string | undefined, module: PcscModule): PcscReader {
  const binding = bindingOf(module);
  const reader = new PcscReader({ reader: name, probe: selectsSecureElement, resetAtEnd: false, binding });
  trackReader(reader);
  return reader;
}

export async function lookAtCard<T>(
  name: string | undefined,
  module: PcscModule,
  look: (secureElement: ApduSecureElement, reader: PcscReader) => Promise<T>,
): Promise<T> {
  const reader = readerFor(name, module);
  const secureElement = new ApduSecureElement(reader);
  try {
    await secureElement.start();
    return await look(secureElement, reader);
  } finally {
    await secureElement.close();
  }
}
