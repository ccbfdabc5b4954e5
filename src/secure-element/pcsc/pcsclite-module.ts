/**
 * Loads the native module pcsclite, if the setting asks for it, and declares its types. npm does not install the module
 * if the module cannot be built.
 */
import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { BindingMissing } from "./binding.js";

export type NativeCallback<T> = (error: Error | null | undefined, result: T) => void;

export interface NativeReader extends EventEmitter<{ status: [{ state: number }]; error: [Error]; end: [] }> {
  readonly name: string;
  readonly connected: boolean;
  connect(options: { share_mode: number; protocol: number }, done: NativeCallback<number>): void;
  disconnect(disposition: number, done: NativeCallback<void>): void;
  transmit(command: Buffer, maxAnswer: number, protocol: number, done: NativeCallback<Buffer>): void;
}

export type NativeReaderClass = new (name: string) => NativeReader;

export interface NativeContext extends EventEmitter<{ reader: [NativeReader]; error: [Error] }> {
  readonly readers: Readonly<Record<string, NativeReader>>;
}

/** @throws Error if pcscd is not there */
export type OpenContext = () => NativeContext;

/** @throws BindingMissing */
export function loadPcsclite(): OpenContext {
  try {
    return createRequire(import.meta.url)("pcsclite") as OpenContext;
  } catch (error) {
    throw new BindingMissing("no-module", error instanceof Error ? (error.message.split("\n")[0] ?? "") : "");
  }
}
