/** The end of a command. */

/**
 * process.exit waits for the threads of libuv, and a card that hangs keeps one for as long as it likes. What had to
 * be written is on the disk by now, so the process is then ended from outside.
 */
export function endProcess(status: number, stuck: boolean): void {
  if (stuck) process.kill(process.pid, "SIGKILL");
  process.exit(status);
}
