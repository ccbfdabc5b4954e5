/** Finds the service that runs on this machine, at the address from its data folder or from the settings. */
import { systemRandom } from "../base/random.js";
import { UserError } from "../base/user-error.js";
import { keptFolderOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { InfoRecord } from "../console/records/info.js";
import { isProven } from "../console/token.js";
import { type Address, urlNearby } from "../http/listen.js";
import { isLocked } from "../ledger/lock.js";
import { type Owner, readOwner } from "../ledger/owner.js";

/** Maximum ms to wait for an answer. A running service answers at once. */
const SERVICE_ANSWER_LIMIT_MS = 5_000;
/** Length of the nonce that a service gets for its proof, in bytes. */
const NONCE_BYTES = 32;

export interface RunningService {
  readonly url: string;
  readonly info: Omit<InfoRecord, "proof">;
  /** The headers of each request: the secret in the data folder, if the service has proven that it has this secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** The service's entry in its data folder, if it has proven that the entry is its own. */
  readonly owner: Owner | undefined;
}

export class NotRunning extends UserError {}

/**
 * Finds the running service. Another program may have taken its port, so the service must prove that it has the secret
 * in the data folder before this or a later request sends the secret.
 * @throws NotRunning; UserError if the data folder belongs to another user
 */
export async function findRunning(config: LoadedConfig): Promise<RunningService> {
  const configured = ownerIn(config);
  const url = addressOf(config, configured);
  const nonce = Buffer.from(systemRandom.bytes(NONCE_BYTES)).toString("base64url");
  const answer = await infoOf(url, nonce);
  if (answer?.service !== "tillseal") {
    throw new NotRunning(
      silentIn(config) ?? `no tillseal is running at ${url}; name its --port or --data-dir if it has others`,
    );
  }
  const { proof, ...info } = answer;
  const owner = configured?.url === url ? configured : ownerNamed(info, url);
  if (owner && !isProven(proof, owner.secret, nonce, url)) {
    throw new NotRunning(
      `no tillseal is running at ${url}: the program there does not prove that it is yours, and got no secret`,
    );
  }
  const headers = owner ? bearer(owner.secret) : {};
  return { url, info, headers, owner };
}

/** Does the same as {@link findRunning}, but returns undefined if no service runs. */
export async function runningIfAny(config: LoadedConfig): Promise<RunningService | undefined> {
  try {
    return await findRunning(config);
  } catch (error) {
    if (error instanceof NotRunning) return undefined;
    throw error;
  }
}

/** Finds the service that runs on a data folder, whatever port the settings name. */
export function findRunningOn(dataDir: string, config: LoadedConfig): Promise<RunningService | undefined> {
  const sources = new Map([...config.sources].filter(([name]) => name !== "port"));
  return runningIfAny({ ...config, settings: { ...config.settings, dataDir }, sources });
}

/** Makes the header that sends the secret in the data folder. */
export function bearer(secret: string): Record<string, string> {
  return { Authorization: `Bearer ${secret}` };
}

/** @throws UserError if the service has not proven that it is the one of a data folder that this user may read */
export function requireProven({ url, owner }: Pick<RunningService, "url" | "owner">): Owner {
  if (owner) return owner;
  throw new UserError(
    `the program at ${url} is not known to be your tillseal, and got no secret: run this command as the service's user, with --data-dir if it has another folder`,
  );
}

/** The entry in the data folder that the settings name. @throws UserError if the folder belongs to another user */
function ownerIn({ settings }: LoadedConfig): Owner | undefined {
  const dataDir = keptFolderOf(settings);
  if (dataDir === undefined) return undefined;
  try {
    return readOwner(dataDir);
  } catch {
    throw new UserError(`${dataDir} belongs to another user; run this command as that user`);
  }
}

/** The entry in the data folder that the program itself names: it counts only with a proof. */
function ownerNamed({ folder }: Pick<InfoRecord, "folder">, url: string): Owner | undefined {
  if (typeof folder !== "string") return undefined;
  try {
    const owner = readOwner(folder);
    return owner?.url === url ? owner : undefined;
  } catch {
    // The folder belongs to another user, who alone can send its secret.
    return undefined;
  }
}

/**
 * Returns the address of the service: from the settings if a flag sets the port, else from the data folder, else from
 * the settings.
 * @throws NotRunning if the setting dataDir names a folder that no service uses
 */
function addressOf(config: LoadedConfig, owner: Owner | undefined): string {
  const { settings, sources } = config;
  const { dataDir, host, port } = settings;
  if (sources.get("port") !== "flag") {
    if (owner) return owner.url;
    // A service at the settings' address would not be the service of this folder.
    if (dataDir !== undefined)
      throw new NotRunning(silentIn(config) ?? `no tillseal is running with the data folder ${dataDir}`);
  }
  return urlNearby({ host, port });
}

/** What is known of a service that has the data folder and does not answer; undefined if no process has the folder. */
export function silentIn({ settings }: LoadedConfig): string | undefined {
  const dataDir = keptFolderOf(settings);
  if (dataDir === undefined || !isLocked(dataDir)) return undefined;
  const { url, pid } = readOwner(dataDir) ?? {};
  const [holder, place] = pid === undefined ? ["a process", ""] : [`process ${pid}`, ` at ${url}`];
  return `${holder} uses ${dataDir}, and no tillseal answers${place}: it starts, hangs, or runs in another container`;
}

/** The address of the console of a tillseal at an address; undefined if another program answers, or none. */
export async function consoleAt(address: Address): Promise<string | undefined> {
  const url = urlNearby(address);
  return (await infoOf(url))?.service === "tillseal" ? `${url}/` : undefined;
}

async function infoOf(url: string, nonce?: string): Promise<InfoRecord | undefined> {
  try {
    const answer = await fetch(`${url}/console/info${nonce === undefined ? "" : `?nonce=${nonce}`}`, {
      redirect: "error",
      signal: AbortSignal.timeout(SERVICE_ANSWER_LIMIT_MS),
    });
    return (await answer.json()) as InfoRecord;
  } catch {
    return undefined;
  }
}
