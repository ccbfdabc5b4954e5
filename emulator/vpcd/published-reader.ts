/** Mirrors an emulated reader in the system's virtual reader. Both always have the same card. */
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.js";
import { waitAtMost } from "../../src/base/wait-at-most.js";
import { ATR } from "../card/emulated-card.js";
import type { EmulatedReader } from "../card/emulated-reader.js";
import { VpcdLink, type VpcdLinkOptions } from "./vpcd-link.js";

/**
 * ms without a card at the start, because another process may have had a card in the virtual reader until now. pcscd
 * polls every 400 ms, and does not notice a card that was out for less time.
 */
const EMPTY_MS = 1_000;
/** ms that an insertion waits for pcscd. */
const PATIENCE_MS = 3_000;

export class PublishedReader {
  /** Says when pcscd has noticed a card, and when it is out. */
  readonly link: VpcdLink;
  private readonly started = systemClock.now();
  private isGoingIn = false;
  /** Resolves when pcscd has noticed the last removal. */
  private leaving: Promise<void> = Promise.resolve();

  constructor(
    private reader: EmulatedReader,
    options: VpcdLinkOptions,
  ) {
    const card = {
      atr: ATR,
      reset: () => this.reader.card?.reset(),
      transmit: (command: Uint8Array) => this.transmit(command),
    };
    this.link = new VpcdLink(card, options);
    this.listen();
  }

  /** Pulls the card out, and then mirrors another reader. */
  async use(reader: EmulatedReader): Promise<void> {
    await this.close();
    this.reader = reader;
    this.listen();
    await this.settle();
  }

  /** Whether pcscd has noticed the card in the virtual reader. */
  get connected(): boolean {
    return this.link.connected;
  }

  /** Resolves when pcscd has found the card in the emulated reader, or after a time limit. */
  async settle(): Promise<void> {
    this.follow();
    if (this.connected || this.reader.slot !== "card") return;
    const connected = new Promise<void>((resolve) => this.link.once("connected", resolve));
    await waitAtMost(EMPTY_MS + PATIENCE_MS, connected);
  }

  /** Pulls the card out and puts it in again. Resolves when {@link settle} does. */
  async putInAgain(): Promise<void> {
    await this.out();
    await this.settle();
  }

  async close(): Promise<void> {
    this.reader.off("inserted", this.follow);
    this.reader.off("removed", this.follow);
    await this.out();
  }

  private listen(): void {
    this.reader.on("inserted", this.follow);
    this.reader.on("removed", this.follow);
  }

  private readonly follow = (): void => {
    if (this.reader.slot !== "card") void this.out();
    else if (!this.connected && !this.isGoingIn) void this.goIn();
  };

  private async goIn(): Promise<void> {
    this.isGoingIn = true;
    await this.leaving;
    await delay(Math.max(0, this.started + EMPTY_MS - systemClock.now()));
    if (this.isGoingIn) void this.link.insert();
  }

  private async out(): Promise<void> {
    this.isGoingIn = false;
    this.leaving = this.link.remove();
    await this.leaving;
  }

  /** Opens a connection for each command, so that a reset breaks at most one command. */
  private async transmit(command: Uint8Array): Promise<Uint8Array> {
    const channel = await this.reader.connect();
    try {
      return await channel.transmit(command);
    } finally {
      await channel.close();
    }
  }
}
