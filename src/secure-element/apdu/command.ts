/** Encodes and decodes command APDUs of ISO 7816-4: the four cases, in short and in extended form. */

export interface CommandApdu {
  readonly cla: number;
  readonly ins: number;
  readonly p1: number;
  readonly p2: number;
  /** Up to 65,535 bytes; empty if the command has no data. */
  readonly data: Uint8Array;
  /** Expected length of the answer's data, 1 to 65,536; absent if no data is expected. */
  readonly le?: number;
}

const SHORT_LC_MAX = 255;
const SHORT_LE_MAX = 256;
const EXTENDED_LC_MAX = 65_535;
export const EXTENDED_LE_MAX = 65_536;

export class ApduFormatError extends Error {
  override readonly name = "ApduFormatError";
}

/** Encodes a command in the shortest form that fits its data and its expected length. */
export function encodeCommand({ cla, ins, p1, p2, data, le }: CommandApdu): Uint8Array {
  if (data.length > EXTENDED_LC_MAX) throw new ApduFormatError(`${data.length} bytes of data, at most 65,535 fit`);
  if (le !== undefined && (le < 1 || le > EXTENDED_LE_MAX)) throw new ApduFormatError(`expected length ${le}`);
  const extended = data.length > SHORT_LC_MAX || (le ?? 0) > SHORT_LE_MAX;
  const parts: number[] = [cla, ins, p1, p2];
  if (extended) parts.push(0);
  if (data.length > 0) {
    if (extended) parts.push(data.length >> 8, data.length & 0xff);
    else parts.push(data.length);
  }
  const trailer: number[] = [];
  if (le !== undefined) {
    // The largest length is written as zeros.
    if (extended) trailer.push((le >> 8) & 0xff, le & 0xff);
    else trailer.push(le & 0xff);
  }
  return Buffer.concat([Buffer.from(parts), data, Buffer.from(trailer)]);
}

/** @throws ApduFormatError if the lengths do not add up */
export function decodeCommand(bytes: Uint8Array): CommandApdu {
  const { 0: cla, 1: ins, 2: p1, 3: p2, 4: first, 5: high = 0, 6: low = 0, length } = bytes;
  if (cla === undefined || ins === undefined || p1 === undefined || p2 === undefined) {
    throw new ApduFormatError(`${bytes.length} bytes are not a command APDU`);
  }
  // Put fields before a spread: after one, V8 gives each object its own shape and optimises nothing.
  const header = { cla, ins, p1, p2 };
  const none = new Uint8Array();
  if (first === undefined) return { data: none, ...header };
  if (length === 5) return { data: none, le: first === 0 ? SHORT_LE_MAX : first, ...header };
  if (first !== 0) {
    const end = 5 + first;
    if (length === end) return { data: bytes.subarray(5, end), ...header };
    const le = bytes[end];
    if (length === end + 1 && le !== undefined) {
      return { data: bytes.subarray(5, end), le: le === 0 ? SHORT_LE_MAX : le, ...header };
    }
    throw new ApduFormatError(`Lc is ${first}, but ${length} bytes came`);
  }
  const field = (high << 8) | low;
  if (length === 7) return { data: none, le: field === 0 ? EXTENDED_LE_MAX : field, ...header };
  const end = 7 + field;
  if (field > 0 && length === end) return { data: bytes.subarray(7, end), ...header };
  if (field > 0 && length === end + 2) {
    const le = ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0);
    return { data: bytes.subarray(7, end), le: le === 0 ? EXTENDED_LE_MAX : le, ...header };
  }
  throw new ApduFormatError(`extended Lc is ${field}, but ${length} bytes came`);
}
