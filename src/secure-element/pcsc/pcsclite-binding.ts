/**
 * Adapts the native module pcsclite, with workarounds for its version 1.0.1 (docs/decisions/0026-koffi.md). npm does
 * not install the module if it cannot be built. The module's calls run on libuv's threads.
 */
import { EventEmitter, once } from "node:events";
import { createRequire } from "node:module";
import { messageOf } from "../../base/thrown.js";
import {
  type CardContext,
  MAX_ANSWER_BYTES,
  type PcscBinding,
  PROTOCOL_T0_OR_T1,
  type ReaderState,
  SHARE_SHARED,
  sameStates,
  type WatchContext,
} from "./binding.js";
import { PCSC, PcscError } from "./pcsc-errors.js";

type NativeCallback<T> = (error: Error | null | undefined, result: T) => void;

interface NativeReader extends EventEmitter<{ status: [{ state: number }]; error: [Error]; end: [] }> {
  readonly name: string;
  readonly connected: boolean;
  connect(options: { share_mode: number; protocol: number }, done: NativeCallback<number>): void;
  disconnect(disposition: number, done: NativeCallback<void>): void;
  transmit(command: Buffer, maxAnswer: number, protocol: number, done: NativeCallback<Buffer>): void;
}

export interface NativeContext extends EventEmitter<{ reader: [NativeReader]; error: [Error] }> {
  readonly readers: Readonly<Record<string, NativeReader>>;
}

/** The module: a function that connects to pcscd. @throws Error if pcscd is not there */
type OpenContext = () => NativeContext;

/** @throws PcscError */
function loadPcsclite(): OpenContext {
  try {
    return createRequire(import.meta.url)("pcsclite") as OpenContext;
  } catch (error) {
    throw new PcscError("no-module", messageOf(error).split("\n")[0] ?? "");
  }
}

/** ms without a report after which we assume that there is no reader: pcsclite reports only existing readers. */
const FIRST_REPORT_LIMIT_MS = 1_000;

/** Data that the contexts share. pcsclite exposes its class for connections only through the readers that it found. */
interface Shared {
  readerClass: (new (name: string) => NativeReader) | undefined;
}

export function pcscliteBinding(load = loadPcsclite): PcscBinding {
  const shared: Shared = { readerClass: undefined };
  return {
    module: "pcsclite",
    watcher: () => new PcscliteWatch(load, shared),
    card: () => new PcscliteCard(shared),
  };
}

/**
 * Objects that we keep, so that V8 never runs pcsclite's destructors. A destructor waits on the main thread for a
 * thread that still runs. In an object that only connects, the destructor waits for a thread that was never started,
 * and reads a field that was never set. There is one object that only connects for each reader and each start of pcscd.
 */
const neverCollected: unknown[] = [];

interface Connection {
  readonly states: Map<string, number>;
  hasEnded: boolean;
}

/**
 * A watch never closes its connection. Closing would block the main thread, because it waits for pcscd, which may hang,
 * and for a thread that may have missed its signal. The connection's threads end with pcscd, or else with the process.
 */
class PcscliteWatch extends EventEmitter<{ changed: [] }> implements WatchContext {
  readonly isStuck = false;
  private connection: Connection = { states: new Map(), hasEnded: true };

  constructor(
    private readonly load: () => OpenContext,
    private readonly shared: Shared,
  ) {
    super();
  }

  async establish(): Promise<void> {
    const open = this.load();
    let native: NativeContext;
    try {
      native = open();
    } catch (error) {
      throw pcscErrorOf(error, PCSC.NO_SERVICE.code);
    }
    neverCollected.push(native);
    const states: Connection["states"] = new Map();
    const connection = { states, hasEnded: false };
    this.connection = connection;
    native.on("reader", (reader) => {
      neverCollected.push(reader);
      this.shared.readerClass = reader.constructor as Shared["readerClass"];
      reader.on("status", ({ state }) => this.report(() => states.set(reader.name, state)));
      reader.on("end", () => this.report(() => states.delete(reader.name)));
      // If pcscd ends, each reader reports an error, and the context has failed too.
      reader.on("error", () => this.end(connection));
    });
    native.on("error", () => this.end(connection));
    const isReported = () => states.size > 0 && Object.keys(native.readers).every((name) => states.has(name));
    await this.until(isReported, FIRST_REPORT_LIMIT_MS);
  }

  async wait(known: readonly ReaderState[], limitMs: number): Promise<readonly ReaderState[]> {
    const now = () => [...this.connection.states].map(([name, state]) => ({ name, state }));
    await this.until(() => !sameStates(now(), known), limitMs);
    if (!this.connection.hasEnded) return now();
    // Wait a moment, because pcsclite reports a failure while it holds the lock that closing needs.
    await new Promise((resolve) => setImmediate(resolve));
    throw new PcscError(PCSC.NO_SERVICE.code, "the PC/SC service has gone");
  }

  async release(): Promise<void> {
    this.end(this.connection);
  }

  private end(connection: Connection): void {
    this.report(() => {
      connection.hasEnded = true;
    });
  }

  private report(change: () => void): void {
    change();
    this.emit("changed");
  }

  private async until(isSo: () => boolean, limitMs: number): Promise<void> {
    const signal = AbortSignal.timeout(limitMs);
    while (!this.connection.hasEnded && !signal.aborted && !isSo()) {
      await once(this, "changed", { signal }).catch(() => undefined);
    }
  }
}

/**
 * Connects with another object than the one with which pcsclite watches the reader. The watching object takes a lock on
 * the main thread for each event, and its transmit holds this lock. With only one object, a hanging card would block
 * the whole service.
 */
class PcscliteCard implements CardContext {
  private native: NativeReader | undefined;

  constructor(private readonly shared: Shared) {}

  async connect(reader: string): Promise<number> {
    const { readerClass } = this.shared;
    if (!readerClass) throw new PcscError(PCSC.NO_SERVICE.code, "no reader was found yet");
    // An object that could not be disconnected cannot connect again.
    const native = this.native?.connected === false ? this.native : new readerClass(reader);
    if (native !== this.native) neverCollected.push(native);
    this.native = native;
    const options = { share_mode: SHARE_SHARED, protocol: PROTOCOL_T0_OR_T1 };
    return called<number>((done) => native.connect(options, done));
  }

  async transmit(command: Uint8Array, protocol: number): Promise<Uint8Array> {
    const { native } = this;
    if (!native?.connected) throw new PcscError(PCSC.INVALID_HANDLE.code, "the card is not connected");
    return called<Buffer>((done) => native.transmit(Buffer.from(command), MAX_ANSWER_BYTES, protocol, done));
  }

  async disconnect(disposition: number): Promise<void> {
    const { native } = this;
    if (native) await called<void>((done) => native.disconnect(disposition, done));
  }

  async release(): Promise<void> {
    this.native = undefined;
  }
}

function called<T>(begin: (done: NativeCallback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    begin((error, value) => (error ? reject(pcscErrorOf(error, 0)) : resolve(value)));
  });
}

/** Takes the code from the message: pcsclite gives it only there. @param otherwise the code if the message has none */
function pcscErrorOf(error: unknown, otherwise: number): PcscError {
  const message = messageOf(error);
  const hex = /\(0x([0-9a-f]{8})\)/i.exec(message)?.[1];
  return new PcscError(hex === undefined ? otherwise : Number.parseInt(hex, 16), message);
}
