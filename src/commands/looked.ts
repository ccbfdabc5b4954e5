/** The readers that a command has looked at: they end with the process, which waits for no card that hangs. */
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { endProcess } from "./end-process.js";

const looked: PcscReader[] = [];

export function willBeLookedAt(reader: PcscReader): void {
  looked.push(reader);
}

/** At the end of a command. */
export function doneLooking(): void {
  if (looked.length === 0) return;
  const stuck = looked.some((reader) => reader.stuck);
  // What was said has to be out before.
  process.stdout.write("", () => endProcess(Number(process.exitCode ?? 0), stuck));
}
