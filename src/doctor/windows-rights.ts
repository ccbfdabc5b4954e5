/** Finds out who may read a file or a folder on Windows, from its security descriptor in SDDL. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** ms that we wait for icacls, which reads one entry. */
const ANSWER_LIMIT_MS = 5_000;

/** Returns the security descriptor of a path in SDDL; undefined if Windows does not give it. */
export type AskRights = (path: string) => Promise<string | undefined>;

export const askRights: AskRights = async (path) => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-rights-"));
  try {
    const file = join(folder, "rights");
    await promisify(execFile)("icacls", [path, "/save", file, "/q"], { timeout: ANSWER_LIMIT_MS, windowsHide: true });
    return savedDescriptor(readFileSync(file));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Reads the line with SDDL from a file of `icacls PATH /save FILE`, which is in UTF-16. */
export function savedDescriptor(saved: Uint8Array): string | undefined {
  const lines = new TextDecoder("utf-16le").decode(saved).split(/\r?\n/);
  return lines.find((line) => /^(O:|G:|D:|S:)/.test(line.trim()))?.trim();
}

/** Groups of people who are not administrators. SIDs are the same on every Windows; names of groups are translated. */
const OTHERS = [
  { sid: "S-1-1-0", short: "WD", name: "Everyone" },
  { sid: "S-1-5-4", short: "IU", name: "who is logged on at the screen" },
  { sid: "S-1-5-7", short: "AN", name: "who does not log on" },
  { sid: "S-1-5-11", short: "AU", name: "Authenticated Users" },
  { sid: "S-1-5-32-545", short: "BU", name: "Users" },
  { sid: "S-1-5-32-546", short: "BG", name: "Guests" },
] as const;

type OtherGroup = (typeof OTHERS)[number];

/** Matches an entry that allows access. Its fields are type, flags, rights, two GUIDs and account. */
const ALLOWS = /\((?:A|XA|OA);[^;()]*;[^;()]*;[^;()]*;[^;()]*;([^;()]+)/g;

/** Groups of other people that have any access. @param sddl such as `D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)` */
export function othersLetIn(sddl: string): OtherGroup[] {
  const accounts = new Set([...sddl.matchAll(ALLOWS)].map(([, account]) => account));
  // Without an access list, everybody has full access.
  if (/D:[A-Z]*NO_ACCESS_CONTROL/.test(sddl)) accounts.add("WD");
  return OTHERS.filter(({ sid, short }) => accounts.has(sid) || accounts.has(short));
}

/** Writes a command for cmd and PowerShell that removes the access of groups and keeps all other rights. */
export function shutOut(path: string, groups: readonly OtherGroup[]): string {
  const sids = groups.map(({ sid }) => `"*${sid}"`).join(" ");
  return `icacls "${path}" /inheritance:d /remove:g ${sids}`;
}
