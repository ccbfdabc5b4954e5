/** Checks the machine: its disk, data folder, port and clock. */
import { accessSync, constants, statSync } from "node:fs";
import { createServer } from "node:http";
import type { Clock } from "../base/clock.js";
import { codeOf, messageOf } from "../base/thrown.js";
import { StoreHealth } from "../fiscalizer/store-health.js";
import { listenOnAll } from "../http/listen.js";
import { explainPortRights } from "../http/port-rights.js";
import { ledgerError } from "../ledger/faults.js";
import { existing, type FreeBytes, freeBytes } from "../state/disk.js";
import { isClockOff, NO_DISK_BYTES } from "../state/rules.js";
import { measureDrift } from "../state/sntp.js";
import type { ClockCheck } from "../state/time-watch.js";
import { type Check, fail, line, ok } from "./check.js";
import { type AskRights, askRights, othersLetIn, shutOut } from "./windows-rights.js";

export async function checkDataFolder(
  dataDir: string,
  platform: NodeJS.Platform = process.platform,
  ask: AskRights = askRights,
): Promise<Check> {
  const folder = existing(dataDir);
  if (!statSync(folder).isDirectory()) return line("data folder", "fail", "folderIsFile", { folder });
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return line("data folder", "fail", "folderReadOnly", { folder });
  }
  if (folder !== dataDir) return line("data folder", "ok", "folderNotYet", { folder: dataDir });
  if (platform === "win32") return rightsFinding(dataDir, await ask(dataDir));
  return (statSync(folder).mode & 0o077) !== 0
    ? line("data folder", "warn", "folderOpen", { folder: dataDir })
    : line("data folder", "ok", "folderWritable", { folder: dataDir });
}

/** @param sddl the data folder's security descriptor; undefined if Windows did not give it */
function rightsFinding(dataDir: string, sddl: string | undefined): Check {
  if (sddl === undefined) return line("data folder", "warn", "folderRightsUnknown", { folder: dataDir });
  const others = othersLetIn(sddl);
  if (others.length === 0) return line("data folder", "ok", "folderPrivate", { folder: dataDir });
  const groups = others.map(({ name }) => name).join(", ");
  return line("data folder", "warn", "folderOpenTo", { folder: dataDir, groups, command: shutOut(dataDir, others) });
}

/** Knows a full disk before a write fails. */
export async function diskHealth(dataDir: string, ask: FreeBytes = freeBytes): Promise<StoreHealth> {
  const isFull = (await ask(dataDir)) < NO_DISK_BYTES;
  const requireSound = () => {
    if (isFull) throw ledgerError("full", dataDir);
  };
  return new StoreHealth(dataDir, async () => requireSound(), { requireSound });
}

/** Checks whether the port is free for this folder's service, which does not run. */
export async function checkPort(host: string, port: number): Promise<Check> {
  try {
    for (const server of await listenOnAll(() => createServer(), { host, port })) server.close();
    return ok("port", `${host}:${port} is free; the service is not running`);
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    if (code === "EACCES") return fail("port", `${host}:${port} ${explainPortRights()}`);
    return code === "EADDRINUSE"
      ? fail("port", `another program, or another till, uses ${host}:${port}; stop it or choose another port`)
      : fail("port", `${host}:${port} cannot be used: ${code}; choose another port or host`);
  }
}

/** Subject of the line that compares the clock with the time server. */
export const CLOCK = "clock";

/**
 * Compares the clock with a time server.
 * @param server the environment's ntpServer; undefined if no time server is configured, which gives no result
 * @param tolerance the setting clockDrift, in s
 */
export async function checkClock(
  server: string | undefined,
  clock: Clock,
  tolerance: number,
): Promise<ClockCheck | undefined> {
  if (server === undefined) return undefined;
  try {
    const ahead = await measureDrift(server, clock);
    return { server, ahead, off: isClockOff(ahead, tolerance), problem: undefined, at: clock.now() };
  } catch (error) {
    return { server, ahead: undefined, off: false, problem: messageOf(error), at: clock.now() };
  }
}
