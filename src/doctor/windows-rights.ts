/**
 * Finds out who may read a file or a folder on Windows, from its security descriptor in SDDL (Microsoft, "Security
 * Descriptor String Format").
 */

/** Groups of people who are not administrators: SID, its short form in SDDL, and a name for people. */
const OTHERS: readonly (readonly [sid: string, short: string, name: string])[] = [
  ["S-1-1-0", "WD", "Everyone"],
  ["S-1-5-4", "IU", "who is logged on at the screen"],
  ["S-1-5-7", "AN", "who does not log on"],
  ["S-1-5-11", "AU", "Authenticated Users"],
  ["S-1-5-32-545", "BU", "Users"],
  ["S-1-5-32-546", "BG", "Guests"],
];

export interface OtherGroup {
  /** The SID is the same on every Windows; names of groups are translated. */
  readonly sid: string;
  readonly name: string;
}

/** Matches an entry that allows access. Its fields are type, flags, rights, two GUIDs and account. */
const ALLOWS = /\((?:A|XA|OA);[^;()]*;[^;()]*;[^;()]*;[^;()]*;([^;()]+)/g;

/**
 * Groups of other people to which a security descriptor gives any access.
 * @param sddl such as `D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)`
 */
export function othersLetIn(sddl: string): OtherGroup[] {
  const accounts = new Set([...sddl.matchAll(ALLOWS)].map(([, account]) => account));
  // Without an access list, everybody has full access.
  if (/D:[A-Z]*NO_ACCESS_CONTROL/.test(sddl)) accounts.add("WD");
  return OTHERS.filter(([sid, short]) => accounts.has(sid) || accounts.has(short)).map(([sid, , name]) => ({
    sid,
    name,
  }));
}

/** Writes a command for cmd and PowerShell that removes the access of groups and keeps all other rights. */
export function shutOut(path: string, groups: readonly OtherGroup[]): string {
  const sids = groups.map(({ sid }) => `"*${sid}"`).join(" ");
  return `icacls "${path}" /inheritance:d /remove:g ${sids}`;
}

/**
 * Reads the descriptor from a file of `icacls PATH /save FILE`. One line of the file is the path, the next is SDDL.
 * @param saved content of the file, in UTF-16
 */
export function savedDescriptor(saved: Uint8Array): string | undefined {
  const text = new TextDecoder("utf-16le").decode(saved);
  return text
    .split(/\r?\n/)
    .find((line) => /^(O:|G:|D:|S:)/.test(line.trim()))
    ?.trim();
}
