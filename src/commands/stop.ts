/** `tillseal stop`: ends the running service as Ctrl-C does, and waits until it has ended. */
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { codeOf } from "../error-code.js";
import { findRunning } from "./find-running.js";
import { printable } from "./printable.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";
import { UserError } from "./user-error.js";

/** ms; answers in flight are finished, and a card takes about a second for each. */
const PATIENCE = 30_000;
const BETWEEN = 50;

export function stopCommand(): Command {
  const command = new Command("stop").description("stop the running service; answers in flight are finished");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { url, info } = await findRunning(configFrom(flags));
    if (!isOurs(info.pid))
      throw new UserError(`what answers at ${url} names process ${printable(String(info.pid))}, which is no tillseal`);
    signal(info.pid, url);
    for (let waited = 0; waited < PATIENCE; waited += BETWEEN) {
      if (!isAlive(info.pid)) {
        process.stdout.write(`stopped: ${url}\n`);
        return;
      }
      await delay(BETWEEN);
    }
    throw new UserError(`process ${info.pid} has not ended within ${PATIENCE / 1000} s; a card may hang`);
  });
}

/** Whatever has the port could name any process. Where the system tells, it is looked at first. */
function isOurs(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const commandLine = `/proc/${pid}/cmdline`;
  if (!existsSync(commandLine)) return process.platform !== "linux";
  const words = readFileSync(commandLine, "utf8").split("\0");
  return words.includes("serve") && words.some((word) => /(^|\/)(cli\.js|tillseal)$/.test(word));
}

/** The system says who may end whom: no request over HTTP can stop a till. */
function signal(pid: number, url: string): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    if (codeOf(error) === "EPERM") throw new UserError(`process ${pid} belongs to another user; stop it as that user`);
    throw new UserError(`process ${pid} of ${url} has ended`);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
