/**
 * The authority's side of an audit without internet: it takes the files that a service wrote to a stick, and returns commands
 * (protocol facts, section 8, "Local audit").
 */
import type { AuthorityCommand } from "../../src/authority/tax-authority.js";
import { parseTime } from "../../src/fiscal/time.js";
import { knownNames, respelled } from "../../src/schema/respelled.js";
import { ControlError } from "../endpoint/errors.js";
import { auditBlock } from "./proof-request.js";
import type { TaxOffice } from "./tax-office.js";

/** `{UID}.results`, the packages, `{UID}.arp`: in this order the authority can make the proof at once. */
const KINDS = ["results", "package", "arp"] as const;
type Kind = (typeof KINDS)[number];

export interface StickFile {
  /** Name without folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface TakenFile {
  readonly name: string;
  readonly uid: string;
  /** Status of a package. */
  readonly status?: number;
  /** What the authority did with the file, for people. */
  readonly outcome: string;
}

interface KnownFile extends StickFile {
  readonly kind: Kind;
  readonly uid: string;
}

const NAMES: readonly (readonly [RegExp, Kind])[] = [
  [/^([\x21-\x7e]{8})\.results$/, "results"],
  [/^([\x21-\x7e]{8})-\1-\d{1,10}\.json$/, "package"],
  [/^([\x21-\x7e]{8})\.arp$/, "arp"],
];

/** The card and the kind of a stick's file; undefined if the name is not that of a stick's file. */
function known(file: StickFile): KnownFile | undefined {
  for (const [pattern, kind] of NAMES) {
    const uid = pattern.exec(file.name)?.[1];
    if (uid !== undefined) return { ...file, kind, uid };
  }
  return undefined;
}

export function isStickFile(name: string): boolean {
  return known({ name, bytes: new Uint8Array() }) !== undefined;
}

/** Sorts results of commands first and the request for a proof last. @param name of a stick's file */
export function stickOrder(name: string): number {
  return KINDS.indexOf(known({ name, bytes: new Uint8Array() })?.kind ?? "arp");
}

/** Processes a stick's files in the right order, and goes on after a wrong file. */
export function takeStick(office: TaxOffice, files: readonly StickFile[]): readonly TakenFile[] {
  const ours = files.map(known).filter((file) => file !== undefined);
  return ours.toSorted((a, b) => stickOrder(a.name) - stickOrder(b.name)).map((file) => take(office, file));
}

function take(office: TaxOffice, file: KnownFile): TakenFile {
  const { name, uid } = file;
  try {
    return { name, uid, ...TAKERS[file.kind](office, file) };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    return { name, uid, outcome: `refused: ${error.message}` };
  }
}

const TAKERS: Readonly<Record<Kind, (office: TaxOffice, file: KnownFile) => Omit<TakenFile, "name" | "uid">>> = {
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
  arp: (office, { uid, bytes }) => {
    office.requestProof(uid, { auditRequestPayload: auditBlock(bytes) });
    const missing = office.missing(uid);
    return { outcome: missing === undefined ? "the proof is among the commands" : `no proof yet: ${missing}` };
  },
};

/** The content of `{UID}.commands`. */
export function commandsFile(office: TaxOffice, uid: string): readonly AuthorityCommand[] {
  office.card(uid);
  return office.commands(uid);
}

function readResults(file: StickFile): readonly { readonly commandId: string; readonly success: boolean }[] {
  const results = respelled(readJson(file), RESULT_NAMES);
  const valid = (result: unknown) => {
    const { commandId, success, dateAndTime } = (result ?? {}) as Record<string, unknown>;
    const isTime = dateAndTime === undefined || parseTime(String(dateAndTime)) !== undefined;
    return typeof commandId === "string" && typeof success === "boolean" && isTime;
  };
  if (Array.isArray(results) && results.every(valid)) return results as ReturnType<typeof readResults>;
  throw new ControlError(400, "expected a list of {commandId, success, dateAndTime}");
}

const RESULT_NAMES = knownNames(["commandId", "success"]);
const PACKAGE_NAMES = knownNames(["key", "iv", "payload"]);

function readJson({ bytes }: StickFile): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
  } catch {
    throw new ControlError(400, "it is not JSON; copy the file again");
  }
}
