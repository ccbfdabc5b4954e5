/**
 * The authority's side of an audit without internet. The authority takes the files that a service wrote to a stick, and
 * returns commands (protocol facts, section 8, "Local audit").
 */
import type { StickFolder } from "../../src/authority/stick-copy.js";
import { stickNames } from "../../src/authority/stick-files.js";
import type { AuthorityCommand } from "../../src/authority/tax-authority.js";
import { parseTime } from "../../src/fiscal/time.js";
import { CallError } from "../../src/http/call-errors.js";
import { knownNames, respelled } from "../../src/schema/respelled.js";
import { auditBlock } from "./audits.js";
import type { TaxOffice } from "./tax-office.js";

export interface DeliveredFile {
  /** Name of the file, without folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface TakenFile {
  readonly name: string;
  readonly uid: string;
  readonly status?: number;
  /** What the authority did with the file, for people. */
  readonly outcome: string;
}

/** Names of the files that go to the authority, in the order in which it can make the proof at once. */
const CARRIED_NAMES = {
  results: /^([\x21-\x7e]{8})\.results$/,
  package: /^([\x21-\x7e]{8})-\1-\d{1,10}\.json$/,
  request: /^([\x21-\x7e]{8})\.arp$/,
} as const;
const KINDS = Object.keys(CARRIED_NAMES) as readonly (keyof typeof CARRIED_NAMES)[];

interface CarriedName {
  readonly kind: keyof typeof CARRIED_NAMES;
  readonly uid: string;
}

type KnownFile = DeliveredFile & CarriedName;

/** Reads the kind and the UID from a file's name. @returns undefined if no file for the authority has such a name */
export function carriedName(name: string): CarriedName | undefined {
  for (const kind of KINDS) {
    const uid = CARRIED_NAMES[kind].exec(name)?.[1];
    if (uid !== undefined) return { kind, uid };
  }
  return undefined;
}

const inOrder = (one: CarriedName, other: CarriedName) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind);

/** Tells a card's folder by the names of its files. @param uid the folder's name */
export function isCardFolder(uid: string, names: readonly string[]): boolean {
  return names.some((name) => carriedName(name) !== undefined || name === stickNames(uid).commands);
}

export async function filesToDeliver(folder: StickFolder): Promise<readonly DeliveredFile[]> {
  const files: KnownFile[] = [];
  for (const name of await folder.names()) {
    const known = carriedName(name);
    const bytes = known && (await folder.read(name));
    if (known && bytes) files.push({ name, bytes, ...known });
  }
  return files.toSorted(inOrder);
}

/** Processes a stick's files in the right order. If one file is wrong, it still processes the other files. */
export function takeStick(office: TaxOffice, files: readonly DeliveredFile[]): readonly TakenFile[] {
  const ours = files.flatMap((file): KnownFile[] => {
    const known = carriedName(file.name);
    return known ? [{ ...file, ...known }] : [];
  });
  return ours.toSorted(inOrder).map((file) => take(office, file));
}

function take(office: TaxOffice, file: KnownFile): TakenFile {
  const { name, uid } = file;
  try {
    return { name, uid, ...TAKERS[file.kind](office, file) };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { name, uid, outcome: `refused: ${error.message}` };
  }
}

const TAKERS: Readonly<
  Record<CarriedName["kind"], (office: TaxOffice, file: KnownFile) => Omit<TakenFile, "name" | "uid">>
> = {
  results: (office, file) => {
    const results = readResults(file);
    const ours = results.filter(({ commandId }) => office.knows(file.uid, commandId));
    for (const { commandId, success } of ours) office.report(file.uid, commandId, success);
    const foreign = results.length - ours.length;
    return {
      outcome: `results of commands: ${ours.length}${foreign === 0 ? "" : `, of unknown commands: ${foreign}`}`,
    };
  },
  package: (office, file) => {
    const status = office.submit(file.uid, respelled(readJson(file), PACKAGE_NAMES));
    return { status, outcome: `status ${status}` };
  },
  request: (office, { uid, bytes }) => {
    office.requestProof(uid, { auditRequestPayload: auditBlock(bytes) });
    const missing = office.missing(uid);
    return { outcome: missing === undefined ? "the proof is among the commands" : `no proof yet: ${missing}` };
  },
};

/** Returns the content of `{UID}.commands`: the commands that wait for the card. */
export function commandsFile(office: TaxOffice, uid: string): readonly AuthorityCommand[] {
  office.card(uid);
  return office.commands(uid);
}

function readResults(file: DeliveredFile): readonly { readonly commandId: string; readonly success: boolean }[] {
  const results = respelled(readJson(file), RESULT_NAMES);
  const valid = (result: unknown) => {
    const { commandId, success, dateAndTime } = (result ?? {}) as Record<string, unknown>;
    const isTime = dateAndTime === undefined || parseTime(String(dateAndTime)) !== undefined;
    return typeof commandId === "string" && typeof success === "boolean" && isTime;
  };
  if (Array.isArray(results) && results.every(valid)) return results as ReturnType<typeof readResults>;
  throw new CallError(400, "expected a list of {commandId, success, dateAndTime}");
}

const RESULT_NAMES = knownNames(["commandId", "success"]);
const PACKAGE_NAMES = knownNames(["key", "iv", "payload"]);

function readJson({ bytes }: DeliveredFile): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
  } catch {
    throw new CallError(400, "it is not JSON; copy the file again");
  }
}
