/** Response APDUs of ISO 7816-4: data and a status word. */

export interface ResponseApdu {
  readonly data: Uint8Array;
  readonly statusWord: number;
}

/** Decodes a response APDU. Returns undefined if the bytes are too short for a status word. */
export function decodeResponse(bytes: Uint8Array): ResponseApdu | undefined {
  if (bytes.length < 2) return undefined;
  const end = bytes.length - 2;
  return {
    data: bytes.subarray(0, end),
    statusWord: ((bytes[end] ?? 0) << 8) | (bytes[end + 1] ?? 0),
  };
}

export function encodeResponse(data: Uint8Array, statusWord: number): Uint8Array {
  return Buffer.concat([data, Buffer.from([statusWord >> 8, statusWord & 0xff])]);
}
