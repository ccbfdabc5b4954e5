/** A pcscd for all tests of a file. */
import { afterAll, beforeAll } from "vitest";
import { Pcscd } from "./pcsc.js";

export function pcscdForFile(): Pcscd {
  const pcscd = new Pcscd();
  beforeAll(() => pcscd.start());
  afterAll(() => pcscd.stop());
  return pcscd;
}
