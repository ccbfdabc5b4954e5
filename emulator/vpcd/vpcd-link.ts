/**
 * Puts a card into the system's virtual reader, where every program that uses PC/SC can use it. The card can be any object with
 * an ATR that answers APDUs.
 */
import { EventEmitter } from "node:events";
import { connect, type Socket } from "node:net";

/** Port of the first slot of Debian's vsmartcard-vpcd. */
export const VPCD_PORT = 35_963;

export interface VirtualCard {
  readonly atr: Uint8Array;
  reset(): void;
  transmit(command: Uint8Array): Promise<Uint8Array>;
}

export interface VpcdLinkOptions {
  readonly host?: string;
  readonly port?: number;
  /** ms between attempts to connect while pcscd does not run. */
  readonly retryDelayMs?: number;
}

const RETRY_DELAY_MS = 250;
/** ms. The longest time that we wait until the reader notices that the card is gone. */
const NOTICED_MS = 2_000;

export class VpcdLink extends EventEmitter<{ connected: []; closed: [] }> {
  private socket: Socket | undefined;
  private isConnected = false;
  private retry: NodeJS.Timeout | undefined;
  private wanted = false;

  constructor(
    private readonly card: VirtualCard,
    private readonly options: VpcdLinkOptions = {},
  ) {
    super();
  }

  /** Whether the card is in the reader and is not being removed. */
  get connected(): boolean {
    return this.wanted && this.isConnected;
  }

  /** Inserts the card, again whenever pcscd restarts, until {@link remove}. Resolves once the reader has it. */
  async insert(): Promise<void> {
    if (this.isConnected) return;
    const connected = new Promise<void>((resolve) => this.once("connected", resolve));
    if (!this.wanted) {
      this.wanted = true;
      this.open();
    }
    await connected;
  }

  /** Pulls the card out, even during a command. Resolves when pcscd has noticed; it polls every 400 ms. */
  async remove(): Promise<void> {
    this.wanted = false;
    clearTimeout(this.retry);
    const { socket } = this;
    if (!socket) return;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    // We close our end of the connection. The reader notices this when it next polls, and then closes its end.
    if (this.isConnected) socket.end();
    else socket.destroy();
    const timer = setTimeout(() => socket.destroy(), NOTICED_MS);
    await closed;
    clearTimeout(timer);
  }

  private open(): void {
    const { host = "127.0.0.1", port = VPCD_PORT } = this.options;
    const socket = connect({ host, port, noDelay: true });
    const frames = new FrameReader();
    let answered = Promise.resolve();
    this.socket = socket;
    socket.on("connect", () => {
      this.isConnected = true;
      this.card.reset();
      this.emit("connected");
    });
    socket.on("data", (piece: Buffer) => {
      for (const message of frames.push(piece)) {
        answered = answered.then(() => this.answer(socket, message));
      }
    });
    // We ignore the error here, because the event `close` follows every error, and its handler does the work.
    socket.on("error", () => undefined);
    socket.on("close", () => this.closed());
  }

  private closed(): void {
    this.socket = undefined;
    if (this.isConnected) {
      this.isConnected = false;
      this.card.reset();
      this.emit("closed");
    }
    if (this.wanted) this.retry = setTimeout(() => this.open(), this.options.retryDelayMs ?? RETRY_DELAY_MS);
  }

  private async answer(socket: Socket, message: Uint8Array): Promise<void> {
    if (message.length === 1) {
      if (message[0] === CONTROL.SEND_ATR) socket.write(frame(this.card.atr));
      else this.card.reset();
      return;
    }
    const answer = await this.card.transmit(message).catch(() => undefined);
    // If the card fails, we close the connection. The reader then finds no card, as with a broken chip.
    if (!answer) socket.destroy();
    else if (socket.writable) socket.write(frame(answer));
  }
}

/** Messages with one byte, by their meaning. */
const CONTROL = { POWER_OFF: 0, POWER_ON: 1, RESET: 2, SEND_ATR: 4 } as const;

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
