/** Reads BER-TLV data, such as DER. */

export interface Field {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** Yields the fields of data with tags of one or two bytes. Ends at the first field that does not fit. */
export function* tlvFields(bytes: Uint8Array): Generator<Field, undefined> {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] ?? 0;
    const tag = (first & 0x1f) === 0x1f ? (first << 8) | (bytes[at++] ?? 0) : first;
    let length = bytes[at++] ?? 0;
    if (length > 0x80) {
      const end = at + (length & 0x7f);
      for (length = 0; at < end; at++) length = length * 256 + (bytes[at] ?? 0);
    }
    if (at + length > bytes.length) return;
    yield { tag, value: bytes.subarray(at, at + length) };
    at += length;
  }
}
