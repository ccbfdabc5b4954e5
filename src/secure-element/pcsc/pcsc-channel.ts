/** A connection to a card through PC/SC. */
import { setTimeout as delay } from "node:timers/promises";
import { type CardChannel, CardError, type CardFault } from "../card-reader.js";
import { LEAVE_CARD, RESET_CARD } from "./binding.js";
import type { NativeHandle } from "./native-handle.js";
import { PCSC, pcscCode, toCardError } from "./pcsc-errors.js";

/** ms between attempts while another program uses the card in a transaction. Such a transaction is short. */
const TRANSACTION_PAUSE_MS = 50;
const TRANSACTION_ATTEMPTS = 40;

export class PcscChannel implements CardChannel {
  private broken: { readonly fault: CardFault; readonly message: string } | undefined;
  private rejectPending: ((error: CardError) => void) | undefined;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly handle: NativeHandle,
    private readonly protocol: number,
    private readonly resetAtEnd: boolean,
  ) {}

  /**
   * Connects in shared mode, because other programs of a shop read the same card, one of them every second. The
   * vendor's programs use shared mode too (protocol facts, section 1). In exclusive mode, either those programs or
   * tillseal would fail. In shared mode, another program can reset the card between two of our commands; PC/SC reports
   * the reset before it sends the next command. The connection uses T=0 or T=1, as the card does.
   * @param resetAtEnd whether closing ends the card's sessions, including a verified PIN
   * @throws CardError
   */
  static async open(handle: NativeHandle, reader: string, resetAtEnd: boolean): Promise<PcscChannel> {
    try {
      const protocol = await handle.call((card) => card.connect(reader));
      return new PcscChannel(handle, protocol, resetAtEnd);
    } catch (error) {
      if (handle.stuck) void disconnectWhenIdle(handle);
      const { fault, message } = toCardError(error);
      throw new CardError(fault, message, { sent: false, cause: error });
    }
  }

  get isOpen(): boolean {
    return this.broken === undefined;
  }

  transmit(command: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.broken) {
        reject(new CardError(this.broken.fault, this.broken.message, { sent: false }));
        return;
      }
      this.rejectPending = reject;
      this.exchange(command)
        .then(resolve, (error: unknown) => {
          const cardError = toCardError(error);
          this.broken ??= cardError;
          reject(cardError);
        })
        .finally(() => {
          this.rejectPending = undefined;
        });
    });
  }

  private async exchange(command: Uint8Array): Promise<Uint8Array> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.handle.call((card) => card.transmit(command, this.protocol));
      } catch (error) {
        // During another program's transaction, PC/SC refuses at once and sends nothing to the card, so try again.
        if (pcscCode(error) !== PCSC.SHARING_VIOLATION.code || attempt === TRANSACTION_ATTEMPTS || this.broken)
          throw error;
        await delay(TRANSACTION_PAUSE_MS);
      }
    }
  }

  /** Ends a running exchange at once because the card or the reader is gone, even if the native call still runs. */
  break(fault: CardFault, message: string): void {
    this.broken ??= { fault, message };
    this.rejectPending?.(new CardError(fault, message));
  }

  close(): Promise<void> {
    this.broken ??= { fault: "no-answer", message: "the connection is closed" };
    this.closing ??= this.disconnect();
    return this.closing;
  }

  private async disconnect(): Promise<void> {
    if (this.handle.stuck) {
      void disconnectWhenIdle(this.handle);
      return;
    }
    const disposition = this.resetAtEnd ? RESET_CARD : LEAVE_CARD;
    // The call fails if the card or pcscd is gone; then there is nothing to disconnect.
    await this.handle.call((card) => card.disconnect(disposition)).catch(() => undefined);
  }
}

/** Waits until a hanging call has ended, then resets the card, because the card's state is unknown. */
async function disconnectWhenIdle(handle: NativeHandle): Promise<void> {
  await handle.idle();
  await handle.call((card) => card.disconnect(RESET_CARD)).catch(() => undefined);
}
