/**
 * The native module, loaded when it is needed: the emulator and the install must work on a machine where it could
 * not be built, so nothing imports it and its types are written down here.
 */
import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";

export type NativeCallback<T> = (error: Error | null | undefined, result: T) => void;

export interface NativeReader extends EventEmitter<{ status: [{ state: number }]; error: [Error]; end: [] }> {
  readonly name: string;
  readonly connected: boolean;
  connect(options: { share_mode: number; protocol: number }, done: NativeCallback<number>): void;
  disconnect(disposition: number, done: NativeCallback<void>): void;
  transmit(command: Buffer, maxAnswer: number, protocol: number, done: NativeCallback<Buffer>): void;
  close(): void;
}

export type NativeReaderClass = new (name: string) => NativeReader;

export interface NativeContext extends EventEmitter<{ reader: [NativeReader]; error: [Error] }> {
  readonly readers: Readonly<Record<string, NativeReader>>;
  close(): void;
}

/** @throws Error where pcscd is not there */
export type OpenContext = () => NativeContext;

export type LoadedModule =
  | { readonly outcome: "loaded"; readonly open: OpenContext }
  | { readonly outcome: "no-module"; readonly reason: string };

export function loadPcsclite(): LoadedModule {
  try {
    return { outcome: "loaded", open: createRequire(import.meta.url)("pcsclite") as OpenContext };
  } catch (error) {
    return { outcome: "no-module", reason: error instanceof Error ? (error.message.split("\n")[0] ?? "") : "" };
  }
}

/** The values of winscard.h, the same on every system. */
export const SHARE_SHARED = 2;
export const PROTOCOL_T0_OR_T1 = 1 | 2;
export const LEAVE_CARD = 0;
export const RESET_CARD = 1;
export const STATE_PRESENT = 0x20;
export const STATE_MUTE = 0x200;
