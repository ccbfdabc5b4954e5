/** The peak memory of a process, as counted by the Linux kernel. */
import { readFileSync } from "node:fs";

/** MiB. */
export function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}
