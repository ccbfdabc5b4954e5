/** An emulated card in the system's virtual reader, and what can happen to it. */
import { onTestFinished } from "vitest";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { type VirtualCard, VPCD_PORT, VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { selectsSecureElement } from "../../src/secure-element/apdu/card-session.js";
import { PCSC_MODULES, type PcscModule } from "../../src/secure-element/pcsc/binding.js";
import { bindingOf, PcscReader, type PcscReaderOptions } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { makeCard } from "./emulated-card.js";
import { eventually } from "./pcsc.js";

const SIGN_INVOICE = 0x13;

/** The same tests run with each module: test/pcsc/run.mjs chooses. */
const TESTED_MODULE = (process.env.TILLSEAL_PCSC_MODULE ?? PCSC_MODULES[0]) as PcscModule;

export const testedBinding = () => bindingOf(TESTED_MODULE);

/** A card whose next answers are chosen by a test. */
export class TamperedCard implements VirtualCard {
  /** Called for each command; a result replaces the card's answer. */
  tamper: (command: Uint8Array, answer: () => Promise<Uint8Array>) => Promise<Uint8Array> = (_, answer) => answer();

  constructor(readonly card: EmulatedCard) {}

  get atr(): Uint8Array {
    return this.card.atr;
  }

  reset(): void {
    this.card.reset();
  }

  transmit(command: Uint8Array): Promise<Uint8Array> {
    return this.tamper(command, () => this.card.transmit(command));
  }

  /** Tampers only with Sign Invoice. */
  onSign(tamper: (answer: () => Promise<Uint8Array>) => Promise<Uint8Array>): void {
    this.tamper = (command, answer) => (command[1] === SIGN_INVOICE ? tamper(answer) : answer());
  }

  asItIs(): void {
    this.tamper = (_, answer) => answer();
  }
}

export interface InsertedCard {
  readonly card: EmulatedCard;
  readonly tampered: TamperedCard;
  readonly link: VpcdLink;
  readonly reader: PcscReader;
  /**
   * Pulls the card out, if it is in, and waits until the driver has noticed: pcscd polls every 400 ms, and
   * a card that returns faster leaves pcscd with a reader that it believes to be empty.
   */
  remove(): Promise<void>;
  insert(): Promise<void>;
}

/** A card in the virtual reader and a driver that was not started; the driver's owner closes it. */
export async function cardInReader(
  profile: Record<string, unknown> = {},
  options: Partial<PcscReaderOptions> = {},
  port = VPCD_PORT,
): Promise<InsertedCard> {
  const card = makeCard(profile);
  const tampered = new TamperedCard(card);
  const link = new VpcdLink(tampered, { retryDelayMs: 50, port });
  await link.insert();
  onTestFinished(() => link.remove());
  const reader = new PcscReader({
    binding: testedBinding(),
    probe: selectsSecureElement,
    resetAtEnd: true,
    retryDelayMs: 100,
    ...options,
  });
  return {
    card,
    tampered,
    link,
    reader,
    remove: async () => {
      await link.remove();
      await eventually(() => reader.slot !== "card", "the driver sees the card gone");
    },
    insert: async () => {
      await link.insert();
      await eventually(() => reader.slot === "card", "the driver sees the card");
    },
  };
}
