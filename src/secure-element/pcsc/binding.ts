/**
 * The part of PC/SC that the driver needs. Two modules implement this part: koffi (koffi-context.ts) calls the system's
 * library, pcsclite (pcsclite-binding.ts) has native code. The constants are named as in winscard.h.
 */
import { HAS_EMULATOR } from "../../base/package-root.js";

export type PcscModule = "koffi" | "pcsclite";
/** The packages for shops offer koffi alone: they have no npm, which compiles pcsclite. */
export const PCSC_MODULES: readonly [PcscModule, ...PcscModule[]] = HAS_EMULATOR ? ["koffi", "pcsclite"] : ["koffi"];

export interface PcscBinding {
  readonly module: PcscModule;
  watcher(): WatchContext;
  /** Creates a context for the cards of one reader. The context blocks no other context while a card hangs. */
  card(): CardContext;
}

/** A reader and its state: SCARD_STATE_ bits in the lower 16 bits, count of insertions and removals in the upper. */
export interface ReaderState {
  readonly name: string;
  readonly state: number;
}

/** A context that watches the readers. Only one call may run at a time. Each call throws a PcscError. */
export interface WatchContext {
  /** Connects to the PC/SC service. May be called again after the service went away. */
  establish(): Promise<unknown>;
  /** Resolves with the current readers once they differ from the known ones, or after the limit. */
  wait(known: readonly ReaderState[], limitMs: number): Promise<readonly ReaderState[]>;
  /** Ends the context and a running wait; after some seconds also if something does not end. Never rejects. */
  release(): Promise<void>;
  /** Whether {@link release} has given up, because a call did not end. */
  readonly isStuck: boolean;
}

/** A context for one reader's cards: one call and one connection at a time. Each call throws a PcscError. */
export interface CardContext {
  /** Connects to the card in shared mode, with a new context of PC/SC. @returns the card's protocol: T=0 or T=1 */
  connect(reader: string): Promise<number>;
  transmit(command: Uint8Array, protocol: number): Promise<Uint8Array>;
  /** Disconnects, and releases the context in any case. @param disposition SCARD_LEAVE_CARD or SCARD_RESET_CARD */
  disconnect(disposition: number): Promise<void>;
  /** Releases the context. Call this only when no other call runs. */
  release(): Promise<void>;
}

/** These values of winscard.h are the same on every system. */
export const SHARE_SHARED = 2;
export const PROTOCOL_T0_OR_T1 = 1 | 2;
export const LEAVE_CARD = 0;
export const RESET_CARD = 1;
export const STATE_CHANGED = 0x2;
export const STATE_UNKNOWN = 0x4;
export const STATE_PRESENT = 0x20;
export const STATE_MUTE = 0x200;
/** Number of bytes in the longest extended answer: 65,536 bytes of data and the status word. */
export const MAX_ANSWER_BYTES = 65_538;

export function sameStates(one: readonly ReaderState[], other: readonly ReaderState[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, state }) => other.some((reader) => reader.name === name && reader.state === state))
  );
}
