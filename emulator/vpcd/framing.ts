/**
 * Reads and writes messages of the virtual reader. A message has two bytes of length, big endian, and then as many
 * bytes as the length says.
 */

/** Messages with one byte, by their meaning. */
export const CONTROL = { POWER_OFF: 0, POWER_ON: 1, RESET: 2, SEND_ATR: 4 } as const;

const LENGTH_BYTES = 2;

export function frame(message: Uint8Array): Uint8Array {
  const framed = Buffer.alloc(LENGTH_BYTES + message.length);
  framed.writeUInt16BE(message.length, 0);
  framed.set(message, LENGTH_BYTES);
  return framed;
}

/** Assembles messages from the pieces that TCP delivers. */
export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);

  /** Adds a piece and returns the messages that are now complete. */
  push(piece: Uint8Array): Uint8Array[] {
    this.pending = Buffer.concat([this.pending, piece]);
    const messages: Uint8Array[] = [];
    while (this.pending.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.pending.readUInt16BE(0);
      if (this.pending.length < end) break;
      messages.push(this.pending.subarray(LENGTH_BYTES, end));
      this.pending = this.pending.subarray(end);
    }
    return messages;
  }
}
