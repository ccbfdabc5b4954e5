/** The readers that a command has opened. They end with the process, which does not wait for a hanging card. */
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { endProcess } from "./end-process.js";

const opened: PcscReader[] = [];

export function trackReader(reader: PcscReader): void {
  opened.push(reader);
}

/** Called at the end of a command. */
export function exitAfterReaders(): void {
  if (opened.length === 0) return;
  const stuck = opened.some((reader) => reader.stuck);
  // The output has to be written first.
  process.stdout.write("", () => endProcess(Number(process.exitCode ?? 0), stuck));
}
