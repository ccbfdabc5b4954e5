/** The machine: disk, data folder, port, clock. */
import { accessSync, constants, statSync } from "node:fs";
import { createServer } from "node:http";
import type { Clock } from "../clock.js";
import { CONSOLE_PREFIX } from "../console/endpoints.js";
import { codeOf } from "../error-code.js";
import { existing, type FreeBytes, freeBytes } from "../health/disk.js";
import { diskState, isClockOff, mebibytes } from "../health/rules.js";
import { listenOnAll, urlNearby } from "../http/listen.js";
import { explainPortRights } from "../http/port-rights.js";
import { measureDrift } from "../time-server/drift.js";
import { type AskRights, askRights } from "./ask-rights.js";
import { type Finding, fail, ok, warn } from "./finding.js";
import { othersLetIn, shutOut } from "./windows-rights.js";

const PROBE_LIMIT = 2_000;

export async function checkDataFolder(
  dataDir: string,
  platform: NodeJS.Platform = process.platform,
  ask: AskRights = askRights,
): Promise<Finding> {
  const folder = existing(dataDir);
  if (!statSync(folder).isDirectory()) return fail("data folder", `${folder} is a file; choose a folder`);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail("data folder", `${folder} cannot be written; give it to the user that runs the service`);
  }
  if (folder !== dataDir) return ok("data folder", `${dataDir} will be made at the first start`);
  if (platform === "win32") return rightsFinding(dataDir, await ask(dataDir));
  return (statSync(folder).mode & 0o077) !== 0
    ? warn("data folder", `${dataDir} is open to other users of the machine; chmod 700 it`)
    : ok("data folder", `${dataDir} can be written`);
}

/** @param sddl undefined where Windows does not say */
function rightsFinding(dataDir: string, sddl: string | undefined): Finding {
  if (sddl === undefined) {
    return warn("data folder", `${dataDir} can be written; icacls does not say who else may read it`);
  }
  const others = othersLetIn(sddl);
  if (others.length === 0) return ok("data folder", `${dataDir} can be written, and others cannot read it`);
  const names = others.map(({ name }) => name).join(", ");
  const fix = shutOut(dataDir, others);
  return warn("data folder", `${dataDir} is open to ${names}; shut them out as administrator: ${fix}`);
}

export async function checkDisk(dataDir: string, ask: FreeBytes = freeBytes): Promise<Finding> {
  const free = await ask(dataDir);
  const said = `${mebibytes(free)} MiB free for ${dataDir}`;
  switch (diskState(free)) {
    case "full":
      return fail("disk", `${said}: no invoice can be stored; make room`);
    case "low":
      return warn("disk", `${said}: make room soon`);
    case "well":
      return ok("disk", said);
  }
}

/** Free, ours, or somebody else's. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  const error = await listenError(host, port);
  if (error === undefined) return ok("port", `${host}:${port} is free; the service does not run`);
  if (error === "EACCES") return fail("port", `${host}:${port} ${explainPortRights()}`);
  if (error !== "EADDRINUSE")
    return fail("port", `${host}:${port} cannot be used: ${error}; choose another port or host`);
  return (await isOurs(host, port))
    ? ok("port", `the service runs on ${host}:${port}`)
    : fail("port", `another program has ${host}:${port}; stop it or choose another port`);
}

async function listenError(host: string, port: number): Promise<string | undefined> {
  try {
    for (const server of await listenOnAll(() => createServer(), { host, port })) server.close();
    return undefined;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

/** Asked where no POS asks: an emulator's traffic shows only what tills do. */
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

/**
 * @param server the environment's ntpServer, undefined where nothing is configured
 * @param tolerance s: the setting clockDrift
 */
export async function checkTimeServer(server: string | undefined, clock: Clock, tolerance: number): Promise<Finding> {
  if (server === undefined) return warn("time server", "none is configured: the clock was not compared");
  try {
    const ahead = await measureDrift(server, clock);
    const seconds = Math.round(Math.abs(ahead) / 1000);
    return isClockOff(ahead, tolerance)
      ? warn("time server", `the clock differs by ${seconds} s from ${server}; set it, receipts carry its time`)
      : ok("time server", `the clock agrees with ${server} to ${seconds} s`);
  } catch (error) {
    return warn("time server", `${server} cannot be asked: ${error instanceof Error ? error.message : error}`);
  }
}
