/** Writes DER (X.690), the encoding of certificates and keys. Each function returns the bytes of one value. */

/** @param tag identifier octet: class, form and number */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length = bytesOf(content.length.toString(16));
  const long = content.length < 128 ? [] : [0x80 | length.length];
  return Buffer.concat([Buffer.from([tag, ...long]), length, content]);
}

export const sequence = (...members: readonly Uint8Array[]) => der(0x30, ...members);
export const set = (...members: readonly Uint8Array[]) => der(0x31, ...members);
export const octets = (...contents: readonly Uint8Array[]) => der(0x04, ...contents);
export const utf8 = (text: string) => der(0x0c, Buffer.from(text));
export const printable = (text: string) => der(0x13, Buffer.from(text, "latin1"));
export const ia5 = (text: string) => der(0x16, Buffer.from(text, "latin1"));

/** A constructed value with a tag of its context, which contains other values. */
export const tagged = (number: number, ...contents: readonly Uint8Array[]) => der(0xa0 | number, ...contents);
/** A primitive value whose type is replaced by a tag of its context. */
export const implicit = (number: number, content: Uint8Array) => der(0x80 | number, content);

export const NULL = der(0x05);
export const TRUE = der(0x01, Buffer.from([0xff]));

/** A number that is not negative. @param hex its first bit is not set */
export const integer = (hex: string) => der(0x02, bytesOf(hex));

/** @param unused number of bits at the end that do not count */
export const bits = (content: Uint8Array, unused = 0) => der(0x03, Buffer.from([unused]), content);

/** @param dotted an object identifier, such as `2.5.4.3` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([40 * first + second, ...others.flatMap(base128)]));
}

/** The time in a certificate. The years 1950 to 2049 have two digits (RFC 5280, section 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|[-:T]/g, "");
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

function base128(number: number): number[] {
  const higher = number >> 7;
  return [...(higher === 0 ? [] : base128(higher).map((byte) => byte | 0x80)), number & 0x7f];
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}
