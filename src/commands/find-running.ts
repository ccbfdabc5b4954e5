/** The service that runs on this machine: where its data folder says that it is, or where the settings put it. */
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { InfoRecord, TillRecord } from "../console/records.js";
import { readToken } from "../console/token.js";
import { nearby, urlNearby } from "../http/listen.js";
import { type Owner, readOwner } from "../ledger/owner.js";
import { UserError } from "./user-error.js";

/** ms; a service that runs answers at once. */
const PATIENCE = 5_000;

export interface Found {
  readonly url: string;
  readonly info: InfoRecord;
  /** What its private pages may ask for. */
  readonly headers: Readonly<Record<string, string>>;
  readonly till: () => Promise<TillRecord>;
}

/** No service answers. */
export class NotRunning extends UserError {}

/** @throws NotRunning, UserError where the data folder is another user's */
export async function findRunning(config: LoadedConfig): Promise<Found> {
  const { url: address, owner } = addressOf(config);
  const url = nearby(address);
  const headers = tokenFor(url, config);
  const info = await ask<InfoRecord>(`${url}/console/info`, headers);
  // Another program may have got the port since.
  if (info?.service !== "tillseal" || (owner && owner.pid !== info.pid))
    throw new NotRunning(`no tillseal runs at ${url}`);
  return { url, info, headers, till: () => readTill(url, headers) };
}

/** What the console asks for where the setting consoleToken is on. It goes to the address in its own folder, and to no other. */
function tokenFor(url: string, { settings }: LoadedConfig): Record<string, string> {
  const { card, dataDir } = settings;
  if (card !== "pcsc" && dataDir === undefined) return {};
  const folder = dataDirOf(settings);
  const token = ownerOf(folder)?.url === url ? readToken(folder) : undefined;
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** A port that was named decides; else the data folder; else where the settings put the service. */
function addressOf({ settings, sources }: LoadedConfig): { url: string; owner?: Owner } {
  const { card, dataDir, host, port } = settings;
  const owner = card === "pcsc" || dataDir !== undefined ? ownerOf(dataDirOf(settings)) : undefined;
  if (sources.get("port") !== "flag") {
    if (owner) return { url: owner.url, owner };
    // Another program answers here, not the service in question.
    if (dataDir !== undefined) throw new NotRunning(`no tillseal runs on ${dataDir}`);
  }
  return { url: urlNearby({ host, port }) };
}

/** @throws UserError where it is another user's */
export function ownerOf(dataDir: string): Owner | undefined {
  try {
    return readOwner(dataDir);
  } catch {
    throw new UserError(`${dataDir} belongs to another user; ask as that user`);
  }
}

async function readTill(url: string, headers: Record<string, string>): Promise<TillRecord> {
  const till = await ask<TillRecord>(`${url}/console/till`, headers);
  if (!till) throw new UserError(`the service at ${url} does not answer`);
  return till;
}

async function ask<T>(url: string, headers: Record<string, string>): Promise<T | undefined> {
  try {
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(PATIENCE) });
    return (await answer.json()) as T;
  } catch {
    return undefined;
  }
}
