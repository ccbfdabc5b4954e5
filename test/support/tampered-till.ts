/** A complete service with an emulated card whose answers a test can change on their way. */
import { onTestFinished } from "vitest";
import type { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { makeCard, readerWith } from "./emulated-card.js";
import { openTill, type Till, type TillOptions } from "./till.js";

export const SIGN = 0x13;
export const AMOUNT_STATUS = 0x14;
export const LAST_SIGNED = 0x15;
export const SELECT = 0xa4;

/** Replaces the card's answer. */
export type Tamper = (answer: () => Promise<Uint8Array>) => Promise<Uint8Array>;

export class TamperedReader {
  /** Instructions that were sent to the card. */
  readonly asked: number[] = [];
  readonly reader: EmulatedReader;
  private readonly tampers = new Map<number, Tamper>();

  constructor() {
    this.reader = readerWith((command, run) => {
      const [, instruction = 0] = command;
      this.asked.push(instruction);
      return this.tampers.get(instruction)?.(run) ?? run();
    });
  }

  on(instruction: number, tamper: Tamper): void {
    this.tampers.set(instruction, tamper);
  }

  once(instruction: number, tamper: Tamper): void {
    this.on(instruction, (answer) => {
      this.tampers.delete(instruction);
      return tamper(answer);
    });
  }

  /** The card does not answer until it is released. */
  hold(instruction: number): () => void {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    this.on(instruction, (answer) => held.then(answer));
    // A stopping service waits for its card.
    onTestFinished(letGo);
    return letGo;
  }

  asItIs(): void {
    this.tampers.clear();
  }

  times(instruction: number): number {
    return this.asked.filter((asked) => asked === instruction).length;
  }

  /** The card signs, and is pulled out before its answer arrives. */
  loseNextAnswer(): void {
    this.once(SIGN, async (answer) => {
      const signed = await answer();
      this.reader.remove();
      return signed;
    });
  }

  /** The card is pulled out before it signs. */
  loseNextSale(): void {
    this.once(SIGN, async () => {
      this.reader.remove();
      return new Uint8Array();
    });
  }
}

export interface TamperedTill extends Till {
  readonly tampered: TamperedReader;
  /** `mssc` of status, without the code of the test card. */
  makerCodes(): Promise<readonly string[]>;
  /** Inserts the card again and verifies its PIN. */
  reinsert(): Promise<void>;
}

export async function openTamperedTill(
  options: Pick<TillOptions, "settings" | "profile" | "card" | "pinVerified" | "cardKey" | "now"> & {
    readonly tampered?: TamperedReader;
  } = {},
): Promise<TamperedTill> {
  const { tampered = new TamperedReader(), profile, card = makeCard(profile), ...others } = options;
  tampered.reader.insert(card);
  const till = await openTill({ ...others, card, reader: tampered.reader });
  return {
    ...till,
    tampered,
    async makerCodes() {
      const { mssc } = (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>();
      return mssc.filter((code) => code !== "9002");
    },
    reinsert: async () => {
      tampered.reader.insert(card);
      await till.pin();
    },
  };
}

/** The data followed by `9000`. */
export function done(data: Uint8Array): Uint8Array {
  return Buffer.concat([data, Uint8Array.of(0x90, 0x00)]);
}

/** The card executes the command, and answers with the refusal of an earlier one. */
export function staleStatusWord(word: string): Tamper {
  return (answer) => answer().then(() => Buffer.from(word, "hex"));
}

export function statusWord(word: string): Tamper {
  return async () => Buffer.from(word, "hex");
}
