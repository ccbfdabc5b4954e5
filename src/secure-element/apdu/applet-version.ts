/** Versions of the applet and two differences between them (protocol facts, section 1; both from one source). */

export interface AppletVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const VERSION_BYTES = 12;

/** Decodes the answer to INS 09, which is three u32. Returns undefined for anything but 12 bytes. */
export function decodeVersion(bytes: Uint8Array): AppletVersion | undefined {
  if (bytes.length !== VERSION_BYTES) return undefined;
  const view = Buffer.from(bytes);
  return { major: view.readUInt32BE(0), minor: view.readUInt32BE(4), patch: view.readUInt32BE(8) };
}

export function encodeVersion({ major, minor, patch }: AppletVersion): Uint8Array {
  const bytes = Buffer.alloc(VERSION_BYTES);
  bytes.writeUInt32BE(major, 0);
  bytes.writeUInt32BE(minor, 4);
  bytes.writeUInt32BE(patch, 8);
  return bytes;
}

export function parseVersion(text: string): AppletVersion {
  const [major = 0, minor = 0, patch = 0] = text.split(".").map(Number);
  return { major, minor, patch };
}

export function formatVersion({ major, minor, patch }: AppletVersion): string {
  return `${major}.${minor}.${patch}`;
}

function compare(a: AppletVersion, b: AppletVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

function isFrom(version: AppletVersion, text: string): boolean {
  return compare(version, parseVersion(text)) >= 0;
}

/** Whether the applet takes the PIN as ASCII (`31`). Versions 3.2.2 to 3.2.8 do; all others take numbers (`01`). */
export function takesAsciiPin(version: AppletVersion): boolean {
  return isFrom(version, "3.2.2") && !isFrom(version, "3.2.9");
}

/** Whether Sign Invoice has P1P2 0102 and a CRC-32 in both directions, as in version 3.2.5 and later. */
export function signsWithCrc(version: AppletVersion): boolean {
  return isFrom(version, "3.2.5");
}

/** Whether tillseal knows the commands of this version. It knows those of major versions 1 to 3. */
export function isSupported(version: AppletVersion): boolean {
  return version.major >= 1 && version.major <= 3;
}
