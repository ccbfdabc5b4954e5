/** Finds the service that runs on this machine, at the address from its data folder or from the settings. */

import { UserError } from "../base/user-error.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { InfoRecord } from "../console/records/info.js";
import type { TillRecord } from "../console/records/till.js";
import { readToken } from "../console/token.js";
import { nearby, urlNearby } from "../http/listen.js";
import { type Owner, readOwner } from "../ledger/owner.js";

/** Maximum ms to wait for an answer. A running service answers at once. */
const PATIENCE = 5_000;

export interface RunningService {
  readonly url: string;
  readonly info: InfoRecord;
  /** Headers that the service's private pages may require. */
  readonly headers: Readonly<Record<string, string>>;
  readonly till: () => Promise<TillRecord>;
}

/** Error: no service answers. */
export class NotRunning extends UserError {}

/** Finds the running service. @throws NotRunning; UserError if the data folder belongs to another user */
export async function findRunning(config: LoadedConfig): Promise<RunningService> {
  const { url: address, owner } = addressOf(config);
  const url = nearby(address);
  const headers = tokenFor(url, config);
  const info = await ask<InfoRecord>(`${url}/console/info`, headers);
  // Another program may use the port by now.
  if (info?.service !== "tillseal" || (owner && owner.pid !== info.pid))
    throw new NotRunning(`no tillseal is running at ${url}`);
  return { url, info, headers, till: () => readTill(url, headers) };
}

/**
 * Returns the header with the console's token; no header without a token. The token is sent only to the address in its
 * own data folder.
 */
function tokenFor(url: string, { settings }: LoadedConfig): Record<string, string> {
  const { card, dataDir } = settings;
  if (card !== "pcsc" && dataDir === undefined) return {};
  const folder = dataDirOf(settings);
  const token = ownerOf(folder)?.url === url ? readToken(folder) : undefined;
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/**
 * Returns the address of the service: from the settings if a flag sets the port, else from the data folder, else from
 * the settings.
 * @throws NotRunning if the setting dataDir names a folder that no service uses; UserError if the folder belongs to
 * another user
 */
function addressOf({ settings, sources }: LoadedConfig): { url: string; owner?: Owner } {
  const { card, dataDir, host, port } = settings;
  const owner = card === "pcsc" || dataDir !== undefined ? ownerOf(dataDirOf(settings)) : undefined;
  if (sources.get("port") !== "flag") {
    if (owner) return { url: owner.url, owner };
    // A service at the settings' address would not be the service of this folder.
    if (dataDir !== undefined) throw new NotRunning(`no tillseal is running with the data folder ${dataDir}`);
  }
  return { url: urlNearby({ host, port }) };
}

/** Reads which service uses a data folder. @throws UserError if the folder belongs to another user */
export function ownerOf(dataDir: string): Owner | undefined {
  try {
    return readOwner(dataDir);
  } catch {
    throw new UserError(`${dataDir} belongs to another user; run this command as that user`);
  }
}

/**
 * Returns the secret in the service's data folder; undefined if the service does not name its folder. The secret is
 * sent only to the address in the same file.
 * @throws UserError if the folder belongs to another user
 */
export function secretOf({ url, info }: Pick<RunningService, "url" | "info">): string | undefined {
  const owner = typeof info.folder === "string" ? ownerOf(info.folder) : undefined;
  return owner?.url === url ? owner.secret : undefined;
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
