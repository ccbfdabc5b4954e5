/** The commands `tillseal authority`: run the server, and control a running server through its admin interface. */
import { mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { folderAt } from "../../src/authority/audit-stick.js";
import { isUid, stickNames } from "../../src/authority/stick-files.js";
import { writePrivate } from "../../src/base/private-file.js";
import { messageOf } from "../../src/base/thrown.js";
import { UserError } from "../../src/base/user-error.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { ConfigError } from "../../src/config/config-error.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { readBytes, readText } from "../../src/config/read-file.js";
import { loadKeys } from "../pki/keys.js";
import { uidInPath } from "./authority-files.js";
import { AUTHORITY_PORT, orOnFreePort } from "./free-port.js";
import { pemOf } from "./registered.js";
import { filesToDeliver, isCardFolder, type TakenFile } from "./stick.js";
import { TaxAuthorityServer } from "./tax-authority-server.js";
import { CA_CERTIFICATE_FILE, type PemIdentity } from "./tls-identity.js";

/** File in the data folder with the address of the server that uses the folder. */
const RUNNING_FILE = "authority.running.json";

export interface ServeFlags {
  readonly port?: number;
  readonly host: string;
  readonly hostName: readonly string[];
  readonly dataDir?: string;
  readonly keys?: string;
  readonly environment?: string;
}

/** @throws ConfigError if keys or environment cannot be read, and the system's errors */
export async function serveTaxAuthority({ port, keys, environment, ...flags }: ServeFlags) {
  const dataDir = flags.dataDir ?? mkdtempSync(join(tmpdir(), "tillseal-authority-"));
  const options = {
    host: flags.host,
    hostNames: flags.hostName,
    dataDir,
    ...(keys === undefined ? {} : { keys: keysIn(keys) }),
    ...(environment === undefined ? {} : { environment: loadNamedEnvironment(environment) ?? null }),
  };
  const open = (one: number) => TaxAuthorityServer.open({ ...options, port: one });
  const server = await (port === undefined ? orOnFreePort(AUTHORITY_PORT, open) : open(port));
  writeDurably(join(dataDir, RUNNING_FILE), JSON.stringify({ url: server.url }));
  return { server, dataDir };
}

function keysIn(folder: string) {
  try {
    return loadKeys(folder);
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError(`--keys ${folder}: expected a folder that tillseal card make-keys wrote: ${reason}`);
  }
}

/** The address of a running server, and the certificate authority that proves its identity. */
export interface RunningAuthority {
  readonly url: string;
  /** Certificate of the certificate authority, PEM. */
  readonly ca: string;
}

/** Flags that name the server that a command is for. */
export interface PlaceFlags {
  readonly dataDir?: string;
  readonly url?: string;
  /** PEM file. */
  readonly ca?: string;
}

/** @throws ConfigError if the flags do not name one server or a file cannot be read, UserError if none uses the folder */
export function runningAt({ dataDir, url, ca }: PlaceFlags): RunningAuthority {
  if (dataDir !== undefined && url === undefined && ca === undefined) return runningIn(dataDir);
  if (dataDir === undefined && url !== undefined && ca !== undefined) {
    return { url: url.replace(/\/+$/, ""), ca: readText(ca) };
  }
  throw new ConfigError("name the authority: --data-dir DIR, or --url URL and --ca FILE");
}

function runningIn(dataDir: string): RunningAuthority {
  try {
    const { url } = JSON.parse(readText(join(dataDir, RUNNING_FILE))) as { url: string };
    return { url, ca: readText(join(dataDir, CA_CERTIFICATE_FILE)) };
  } catch {
    throw new UserError(
      `${dataDir} is not the data folder of an authority; tillseal authority serve prints its folder`,
    );
  }
}

/**
 * Writes the key and the certificate of a card's token as PEM and PKCS#12, and the authority's own certificate as PEM.
 * @param card UID, or a file with the card's certificate, which the authority then registers
 * @returns the files, and the passphrase of the PKCS#12
 */
export async function writeClientCertificate(
  authority: RunningAuthority,
  card: { readonly uid: string } | { readonly file: string },
  out: string,
): Promise<{ readonly uid: string; readonly files: readonly string[]; readonly passphrase: string }> {
  const uid = "uid" in card ? card.uid : await register(authority, card.file);
  const made = await admin<PemIdentity & { pfx: string; passphrase: string }>(authority, "/client-certificates", {
    uid,
  });
  const name = uidInPath(uid);
  const contents: Readonly<Record<string, string | Uint8Array>> = {
    [`${name}.crt.pem`]: made.certificate,
    [`${name}.key.pem`]: made.key,
    [`${name}.pfx`]: Buffer.from(made.pfx, "base64"),
    [CA_CERTIFICATE_FILE]: authority.ca,
  };
  const files = Object.entries(contents).map(([name, content]) => {
    const file = join(out, name);
    writePrivate(file, content);
    return file;
  });
  return { uid, files, passphrase: made.passphrase };
}

async function register(authority: RunningAuthority, file: string): Promise<string> {
  const bytes = readBytes(file);
  let certificate: string;
  try {
    certificate = pemOf(bytes);
  } catch {
    throw new ConfigError(`--card ${file} is not a certificate; expected X.509 in PEM or DER`);
  }
  return (await admin<{ uid: string }>(authority, "/cards", { certificate })).uid;
}

type CarriedFile = Pick<TakenFile, "name" | "outcome">;

/** @param folder the stick with a folder `{UID}` for each card, or a folder `{UID}` itself */
export async function carryStick(authority: RunningAuthority, folder: string): Promise<readonly CarriedFile[]> {
  const carried: CarriedFile[] = [];
  for (const card of await cardFolders(authority, folder)) carried.push(...(await carryCard(authority, card)));
  return carried;
}

/** Uploads the files of one card, and writes the commands for it. @param folder its folder `{UID}` on the stick */
export async function carryCard(authority: RunningAuthority, folder: string): Promise<readonly CarriedFile[]> {
  const stick = folderAt(folder);
  const carried: CarriedFile[] = [];
  for (const { name, bytes } of await filesToDeliver(stick)) {
    const { outcome } = await call<CarriedFile>(authority, "PUT", `/stick/${encodeURIComponent(name)}`, bytes);
    carried.push({ name, outcome });
  }
  const name = stickNames(basename(folder)).commands;
  const commands = await call<unknown[]>(authority, "GET", `/stick/${encodeURIComponent(name)}`);
  await stick.write(name, Buffer.from(JSON.stringify(commands)));
  return [...carried, { name, outcome: `${commands.length} commands written` }];
}

/** An empty stick gets a folder for each card that the authority knows. @throws UserError if no folder fits */
async function cardFolders(authority: RunningAuthority, folder: string): Promise<readonly string[]> {
  const within = readdirSync(folder).map((name) => join(folder, name));
  const folders = [folder, ...within.filter((path) => statSync(path).isDirectory())];
  const cards = folders.filter((path) => isUid(basename(path)) && isCardFolder(basename(path), readdirSync(path)));
  if (cards.length > 0) return cards;
  const registered = await call<readonly { readonly uid: string }[]>(authority, "GET", "/admin/cards");
  const uids = registered.map(({ uid }) => uid);
  const empty = folders.filter((path) => uids.includes(basename(path)) && readdirSync(path).length === 0);
  if (empty.length > 0) return empty;
  if (within.length > 0) throw new UserError(`${folder} has no folder {UID} with files of an audit`);
  if (uids.length === 0) throw new UserError("the authority knows no card yet: register one with client-certificate");
  return uids.map((uid) => {
    const made = join(folder, uid);
    mkdirSync(made);
    return made;
  });
}

function admin<T>(authority: RunningAuthority, path: string, body: object): Promise<T> {
  return call<T>(authority, "POST", `/admin${path}`, Buffer.from(JSON.stringify(body)));
}

/** Calls the authority. @throws UserError if the authority refuses the call or does not answer */
async function call<T>({ url, ca }: RunningAuthority, method: string, path: string, body?: Uint8Array): Promise<T> {
  const { status, content } = await exchange(url + path, { method, ca }, body).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new UserError(`no whole answer from the authority at ${url}: ${reason}`);
  });
  if (status >= 200 && status <= 299) return JSON.parse(content) as T;
  throw new UserError(`the authority refuses ${basename(path)}: ${refusalOf(content)}`);
}

function exchange(
  url: string,
  options: RequestOptions,
  body?: Uint8Array,
): Promise<{ status: number; content: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent: false }, (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, content }), reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Returns the message of a refusal, or the whole text if the refusal is not JSON. */
function refusalOf(content: string): string {
  try {
    return (JSON.parse(content) as { message: string }).message;
  } catch {
    return content;
  }
}
