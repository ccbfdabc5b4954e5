/** Versions of the applet, such as `3.2.5`, and their differences (protocol facts, section 1; both from one source). */

/** Decodes the answer to INS 09, which is three u32. Returns undefined for anything but 12 bytes. */
export function decodeVersion(bytes: Uint8Array): string | undefined {
  const view = Buffer.from(bytes);
  return bytes.length === 12 ? [0, 4, 8].map((at) => view.readUInt32BE(at)).join(".") : undefined;
}

export function encodeVersion(version: string): Uint8Array {
  const bytes = Buffer.alloc(12);
  for (const [i, number] of version.split(".").entries()) bytes.writeUInt32BE(Number(number), 4 * i);
  return bytes;
}

function isFrom(version: string, first: string): boolean {
  return version.localeCompare(first, "en", { numeric: true }) >= 0;
}

/** Whether the applet takes the PIN as ASCII (`31`). Versions 3.2.2 to 3.2.8 do; all others take numbers (`01`). */
export function takesAsciiPin(version: string): boolean {
  return isFrom(version, "3.2.2") && !isFrom(version, "3.2.9");
}

/** Whether Sign Invoice has P1P2 0102 and a CRC-32 in both directions, as in version 3.2.5 and later. */
export function signsWithCrc(version: string): boolean {
  return isFrom(version, "3.2.5");
}

/** Whether tillseal knows the commands of this version. It knows those of major versions 1 to 3. */
export function isSupported(version: string): boolean {
  return /^[123]\./.test(version);
}
