/** Checks the machine: its disk, data folder, port and clock. */
import { accessSync, constants, statSync } from "node:fs";
import { createServer } from "node:http";
import type { Clock } from "../base/clock.js";
import { codeOf, messageOf } from "../base/thrown.js";
import { CONSOLE_PREFIX } from "../http/console-path.js";
import { listenOnAll, urlNearby } from "../http/listen.js";
import { explainPortRights } from "../http/port-rights.js";
import { existing, type FreeBytes, freeBytes } from "../state/disk.js";
import { measureDrift } from "../state/drift.js";
import { diskState, isClockOff } from "../state/rules.js";
import { type AskRights, askRights } from "./ask-rights.js";
import { type Check, type Examined, fail, line, ok, warn } from "./check.js";
import { clockLine, diskLine } from "./lines.js";
import { othersLetIn, shutOut } from "./windows-rights.js";

const PROBE_LIMIT = 2_000;

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

/**
 * The line about the rights of the data folder.
 * @param sddl its security descriptor; undefined if Windows did not give it
 */
function rightsFinding(dataDir: string, sddl: string | undefined): Check {
  if (sddl === undefined) {
    return line("data folder", "warn", "folderRightsUnknown", { folder: dataDir });
  }
  const others = othersLetIn(sddl);
  if (others.length === 0) return line("data folder", "ok", "folderPrivate", { folder: dataDir });
  const groups = others.map(({ name }) => name).join(", ");
  return line("data folder", "warn", "folderOpenTo", { folder: dataDir, groups, command: shutOut(dataDir, others) });
}

export async function checkDisk(dataDir: string, ask: FreeBytes = freeBytes): Promise<Examined> {
  const free = await ask(dataDir);
  // A store that does not exist yet needs room for its files.
  const storeProblem = diskState(free) === "full" ? ({ fault: "full", folder: dataDir } as const) : undefined;
  return {
    checks: [diskLine(free, dataDir)],
    facts: { freeBytes: free, storeProblem },
  };
}

/** Checks whether the port is free, and if not, whether our service or another program uses it. */
export async function checkPort(host: string, port: number): Promise<Check> {
  const error = await listenError(host, port);
  if (error === undefined) return ok("port", `${host}:${port} is free; the service is not running`);
  if (error === "EACCES") return fail("port", `${host}:${port} ${explainPortRights()}`);
  if (error !== "EADDRINUSE")
    return fail("port", `${host}:${port} cannot be used: ${error}; choose another port or host`);
  return (await isOurs(host, port))
    ? ok("port", `the service is running on ${host}:${port}`)
    : fail("port", `another program uses ${host}:${port}; stop it or choose another port`);
}

async function listenError(host: string, port: number): Promise<string | undefined> {
  try {
    for (const server of await listenOnAll(() => createServer(), { host, port })) server.close();
    return undefined;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

/**
 * Whether our service uses the port. It asks a path of the console, because the emulator's traffic log leaves out such
 * requests.
 */
async function isOurs(host: string, port: number): Promise<boolean> {
  try {
    const answer = await fetch(`${urlNearby({ host, port })}${CONSOLE_PREFIX}/info`, {
      signal: AbortSignal.timeout(PROBE_LIMIT),
    });
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Subject of the line that compares the clock with the time server. */
export const CLOCK = "clock";

/**
 * Checks the clock.
 * @param server the environment's ntpServer; undefined if no time server is configured
 * @param tolerance the setting clockDrift, in s
 */
export async function checkClock(server: string | undefined, clock: Clock, tolerance: number): Promise<Examined> {
  if (server === undefined) {
    return { checks: [warn(CLOCK, "no time server is configured; the clock was not checked")], facts: {} };
  }
  try {
    const ahead = await measureDrift(server, clock);
    const clockCheck = { server, ahead, off: isClockOff(ahead, tolerance), problem: undefined };
    return { checks: [clockLine(clockCheck)], facts: { clockCheck } };
  } catch (error) {
    const clockCheck = { server, ahead: undefined, off: false, problem: messageOf(error) };
    return { checks: [clockLine(clockCheck)], facts: {} };
  }
}
