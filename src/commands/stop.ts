/** `tillseal stop`: stops the running service as Ctrl-C does, and waits until it has ended. */
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { codeOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";
import { addSettingFlags, configFrom } from "./flags.js";

/** ms; answers in flight are finished, and a card takes about a second for each. */
const PATIENCE = 30_000;
const BETWEEN = 50;

export function stopCommand(): Command {
  const command = new Command("stop").description("stop the running service; answers in flight are finished");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { findRunning, ownerOf } = await import("../client/find-running.js");
    const { url, info } = await findRunning(configFrom(flags));
    const owner = typeof info.folder === "string" ? ownerOf(info.folder) : undefined;
    // Send the secret only to the address that its own file names.
    if (owner?.url !== url) {
      throw new UserError(`the program at ${url} is not known to be your tillseal; nothing was stopped`);
    }
    await ask(url, owner.secret);
    for (let waited = 0; waited < PATIENCE; waited += BETWEEN) {
      if (!isAlive(owner.pid)) {
        process.stdout.write(`stopped: ${url}\n`);
        return;
      }
      await delay(BETWEEN);
    }
    throw new UserError(`process ${owner.pid} has not ended within ${PATIENCE / 1000} s; a card may hang`);
  });
}

/** @throws UserError if the service does not accept the secret */
async function ask(url: string, secret: string): Promise<void> {
  const headers = { Authorization: `Bearer ${secret}` };
  const answer = await fetch(`${url}/console/stop`, { method: "POST", headers, redirect: "error" }).catch(
    () => undefined,
  );
  if (answer?.status === 202) return;
  throw new UserError(
    answer
      ? `the program at ${url} does not accept this data folder's secret; nothing was stopped`
      : `${url} does not answer`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
