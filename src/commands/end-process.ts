/**
 * Ends the process at once. process.exit waits for libuv's threads, and a hanging card blocks one without limit.
 * Everything that must be written is on the disk by now, so a signal ends the process.
 */
export function endProcess(status: number, stuck: boolean): void {
  if (stuck) process.kill(process.pid, "SIGKILL");
  process.exit(status);
}
