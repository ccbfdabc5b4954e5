/**
 * Adapts the module pcsclite, with workarounds for its version 1.0.1 (docs/decisions/0026-koffi.md). The module's calls
 * run on libuv's threads.
 */
import { EventEmitter, once } from "node:events";
import { messageOf } from "../../base/thrown.js";
import {
  type CardContext,
  MAX_ANSWER,
  type PcscBinding,
  PcscError,
  type ReaderState,
  sameStates,
  type WatchContext,
} from "./binding.js";
import { PCSC } from "./pcsc-codes.js";
import {
  loadPcsclite,
  type NativeCallback,
  type NativeContext,
  type NativeReader,
  type NativeReaderClass,
  type OpenContext,
} from "./pcsclite-module.js";

/**
 * ms without a report after which we assume that there is no reader, because pcsclite reports only existing readers.
 */
const FIRST_REPORT_LIMIT = 1_000;

/** Data that the contexts share. pcsclite exposes its class for connections only through the readers that it found. */
interface LoadedBinding {
  readerClass: NativeReaderClass | undefined;
  /** Number of connections to pcscd so far. A connection to a card does not survive a restart of pcscd. */
  starts: number;
}

/** @param load loads pcsclite; throws BindingMissing */
export function pcscliteBinding(load: () => OpenContext = loadPcsclite): PcscBinding {
  const loaded: LoadedBinding = { readerClass: undefined, starts: 0 };
  return {
    module: "pcsclite",
    watcher: () => new PcscliteWatch(load, loaded),
    card: (reader) => new PcscliteCard(reader, loaded),
  };
}

class PcscliteWatch extends EventEmitter<{ changed: [] }> implements WatchContext {
  readonly isStuck = false;
  private native: NativeContext | undefined;
  private failed = false;
  private readonly states = new Map<string, number>();

  constructor(
    private readonly load: () => OpenContext,
    private readonly loaded: LoadedBinding,
  ) {
    super();
  }

  async establish(): Promise<void> {
    const open = this.load();
    this.forget();
    let native: NativeContext;
    try {
      native = open();
    } catch (error) {
      throw pcscErrorOf(error, PCSC.NO_SERVICE);
    }
    this.native = native;
    this.failed = false;
    this.loaded.starts += 1;
    native.on("reader", (reader) => this.follow(native, reader));
    native.on("error", () => this.fail(native));
    await this.until(() => this.states.size > 0 && this.hasReported, FIRST_REPORT_LIMIT);
  }

  async wait(known: readonly ReaderState[], limit: number): Promise<readonly ReaderState[]> {
    await this.until(() => !sameStates(this.now, known), limit);
    if (this.failed) {
      // Wait a moment, because pcsclite reports a failure while it holds the lock that closing needs.
      await new Promise((resolve) => setImmediate(resolve));
      throw new PcscError(PCSC.NO_SERVICE, "the PC/SC service has gone");
    }
    return this.now;
  }

  async release(): Promise<void> {
    this.forget();
    this.fail(undefined);
  }

  private get now(): readonly ReaderState[] {
    return [...this.states].map(([name, state]) => ({ name, state }));
  }

  private get hasReported(): boolean {
    return Object.keys(this.native?.readers ?? {}).every((name) => this.states.has(name));
  }

  private async until(isSo: () => boolean, limit: number): Promise<void> {
    const signal = AbortSignal.timeout(limit);
    while (!this.failed && !signal.aborted && !isSo()) {
      await once(this, "changed", { signal }).catch(() => undefined);
    }
  }

  private follow(native: NativeContext, reader: NativeReader): void {
    this.loaded.readerClass = reader.constructor as NativeReaderClass;
    reader.on("status", ({ state }) => {
      if (this.native === native) this.report(() => this.states.set(reader.name, state));
    });
    reader.on("end", () => {
      if (this.native === native) this.report(() => this.states.delete(reader.name));
    });
    // If pcscd ends, each reader reports an error, and the context has failed too.
    reader.on("error", () => this.fail(native));
  }

  private report(change: () => void): void {
    change();
    this.emit("changed");
  }

  private fail(native: NativeContext | undefined): void {
    if (this.native !== native) return;
    this.failed = true;
    this.emit("changed");
  }

  /**
   * Drops the context without closing it. Closing would block the main thread, because it waits for pcscd, which may
   * hang, and for a thread that may have missed its signal. The context's threads end with pcscd, or else with the
   * process.
   */
  private forget(): void {
    if (this.native) neverCollected.push(this.native, ...Object.values(this.native.readers));
    this.native = undefined;
    this.states.clear();
  }
}

/**
 * Objects that we keep, so that V8 never runs pcsclite's destructors. A destructor waits on the main thread for a
 * thread that still runs. In an object that only connects, the destructor waits for a thread that was never started,
 * and reads a field that was never set. There is one object that only connects for each reader and each start of pcscd.
 */
const neverCollected: unknown[] = [];

/**
 * Connects with another object than the one with which pcsclite watches the reader. The watching object takes a lock on
 * the main thread for each event, and its transmit holds this lock. With only one object, a hanging card would block
 * the whole service.
 */
class PcscliteCard implements CardContext {
  private native: NativeReader | undefined;
  private start = 0;

  constructor(
    private readonly reader: string,
    private readonly loaded: LoadedBinding,
  ) {}

  async connect(share: number, protocols: number): Promise<number> {
    const native = this.usable();
    return called<number>((done) => native.connect({ share_mode: share, protocol: protocols }, done));
  }

  async transmit(command: Uint8Array, protocol: number): Promise<Uint8Array> {
    const { native } = this;
    if (!native?.connected) throw new PcscError(PCSC.INVALID_HANDLE, "the card is not connected");
    return called<Buffer>((done) => native.transmit(Buffer.from(command), MAX_ANSWER, protocol, done));
  }

  async disconnect(disposition: number): Promise<void> {
    const { native } = this;
    if (native) await called<void>((done) => native.disconnect(disposition, done));
  }

  async release(): Promise<void> {
    this.native = undefined;
  }

  /**
   * Returns an object that can connect. An object that could not be disconnected is replaced: it cannot connect again.
   */
  private usable(): NativeReader {
    const { readerClass, starts } = this.loaded;
    if (!readerClass) throw new PcscError(PCSC.NO_SERVICE, "no reader was found yet");
    if (this.native && !this.native.connected && this.start === starts) return this.native;
    const native = new readerClass(this.reader);
    neverCollected.push(native);
    this.native = native;
    this.start = starts;
    return native;
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
