/** The service that runs on this machine: where its data folder says that it is, or where the settings put it. */
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { InfoRecord, TillRecord } from "../console/records.js";
import { readOwner } from "../store/owner.js";
import { UserError } from "./user-error.js";

/** ms; a service that runs answers at once. */
const PATIENCE = 5_000;

export interface Found {
  readonly url: string;
  readonly info: InfoRecord;
}

/** @throws UserError where none answers */
export async function findRunning({ settings }: LoadedConfig): Promise<Found> {
  const { card, dataDir, host, port } = settings;
  const owner = card === "pcsc" || dataDir !== undefined ? readOwner(dataDirOf(settings)) : undefined;
  const url = reachable(owner?.url ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  const info = await ask<InfoRecord>(`${url}/console/info`);
  if (info?.service !== "tillseal") throw new UserError(`no tillseal runs at ${url}`);
  return { url, info };
}

export async function readTill(url: string): Promise<TillRecord> {
  const till = await ask<TillRecord>(`${url}/console/till`);
  if (!till) throw new UserError(`the service at ${url} does not answer`);
  return till;
}

/** A service that listens on every address is asked on the machine's own. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

async function ask<T>(url: string): Promise<T | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    return (await answer.json()) as T;
  } catch {
    return undefined;
  }
}
