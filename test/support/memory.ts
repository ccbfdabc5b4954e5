/** How much memory a process has held at most. Linux counts it; the kernel's own number is the only honest one. */
import { readFileSync } from "node:fs";

/** MiB. */
export function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
