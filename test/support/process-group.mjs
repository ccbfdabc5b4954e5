/**
 * A command with all processes that it starts. A command alone can end and leave a process that keeps its output open, and a
 * signal to it alone does not reach what it has started: in both cases a reader waits for ever.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** ms in which the output has to end after the command. */
const LAST_OUTPUT_MS = 2_000;

const isWindows = process.platform === "win32";

export function startGroup(command, args, options = {}) {
  return spawn(command, args, { ...options, detached: !isWindows, stdio: ["ignore", "pipe", "pipe"] });
}

export function killGroup(child, signal = "SIGKILL") {
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // All have ended.
  }
}

/** @param onLine gets each line of the output @returns the exit status, or null after a signal */
export async function statusOf(child, onLine) {
  const outputs = [child.stdout, child.stderr];
  for (const stream of outputs) createInterface(stream).on("line", onLine);
  const closed = once(child, "close");
  const [status] = await once(child, "exit");
  const late = setTimeout(() => {
    for (const stream of outputs) stream.destroy();
  }, LAST_OUTPUT_MS);
  await closed;
  clearTimeout(late);
  return status;
}

/** The running processes of the group, for a person who asks what it waits for; read from /proc, because `ps` is not everywhere. */
export function processesOf(child) {
  if (!existsSync("/proc/self/stat")) return "they are not known on this system";
  const rows = readdirSync("/proc").flatMap((pid) => {
    try {
      // `pid (name) state parent group ...`; the name may contain anything.
      const [state, , group] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return Number(group) === child.pid ? [`${pid} ${state} ${command}`] : [];
    } catch {
      return []; // No process, or it has ended.
    }
  });
  return rows.join("\n");
}
