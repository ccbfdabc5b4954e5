/**
 * A context of the system's PC/SC library. Each call blocks until PC/SC answers. With a hanging card, PC/SC may never
 * answer, so only koffi-worker.ts uses this context, on a separate thread.
 */
import {
  MAX_ANSWER_BYTES,
  PROTOCOL_T0_OR_T1,
  type ReaderState,
  SHARE_SHARED,
  STATE_CHANGED,
  STATE_UNKNOWN,
  sameStates,
} from "./binding.js";
import { PCSC, PcscError, textOf } from "./pcsc-errors.js";
import { type Handle, pcscLibrary, type ReaderRecord, SYSTEM } from "./pcsc-library.js";

const SYSTEM_SCOPE = 2;
/** Characters for the names of all readers. The longest name has 128. */
const NAMES_LENGTH = 16_384;
/** ms to pause after a report without changes: some systems report all the time and would keep this thread busy. */
const REST_MS = 200;
const never = new Int32Array(new SharedArrayBuffer(4));
const rest = (ms: number) => void Atomics.wait(never, 0, 0, ms);

/** One context of PC/SC. Every method except `release` throws {@link PcscError}. */
export class Winscard {
  private context: Handle | undefined;
  private card: Handle | undefined;

  establish(): Handle {
    this.release();
    const context: [Handle] = [0];
    this.check("SCardEstablishContext", pcscLibrary().establish(SYSTEM_SCOPE, null, null, context));
    this.context = context[0];
    return this.context;
  }

  wait(known: readonly ReaderState[], limitMs: number): readonly ReaderState[] {
    const names = this.readers();
    const expected = names.map((name) => ({ name, state: known.find((reader) => reader.name === name)?.state ?? 0 }));
    const now = this.changedStates(expected, sameStates(expected, known) ? limitMs : 0);
    if (!sameStates(now, known)) return now;
    // The notification may be about a reader whose name is not known yet.
    return this.readers().join("\0") === names.join("\0") ? now : this.wait(known, 0);
  }

  private changedStates(expected: readonly ReaderState[], limitMs: number): readonly ReaderState[] {
    const { notification } = SYSTEM;
    const records = [...expected, ...(notification === undefined ? [] : [{ name: notification, state: 0 }])].map(
      recordOf,
    );
    if (records.length === 0) {
      rest(limitMs);
      return [];
    }
    const code = unsigned(pcscLibrary().getStatusChange(this.established(), limitMs, records, records.length));
    // A reader may have left after `readers` listed it. The next list will not contain that reader.
    if (code === PCSC.UNKNOWN_READER.code || code === PCSC.TIMEOUT.code) return expected;
    this.check("SCardGetStatusChange", code);
    const now = expected
      .map(({ name, state }, index) => ({ name, state: eventOf(records[index], state) }))
      .filter(({ state }) => (state & STATE_UNKNOWN) === 0);
    if (limitMs > 0 && sameStates(now, expected)) rest(REST_MS);
    return now;
  }

  private readers(): readonly string[] {
    const [encoding, width] = SYSTEM.suffix === "W" ? (["utf16le", 2] as const) : (["utf8", 1] as const);
    const names = Buffer.alloc(NAMES_LENGTH * width);
    const length: [number] = [NAMES_LENGTH];
    const code = unsigned(pcscLibrary().listReaders(this.established(), null, names, length));
    if (code === PCSC.NO_READERS_AVAILABLE.code) return [];
    this.check("SCardListReaders", code);
    const text = names.toString(encoding, 0, Number(length[0]) * width);
    return text.split("\0").filter((name) => name !== "");
  }

  connect(reader: string, share = SHARE_SHARED): number {
    const context = this.establish();
    const card: [Handle] = [0];
    const protocol: [Handle] = [0];
    try {
      this.check("SCardConnect", pcscLibrary().connect(context, reader, share, PROTOCOL_T0_OR_T1, card, protocol));
    } catch (error) {
      this.release();
      throw error;
    }
    this.card = card[0];
    return Number(protocol[0]);
  }

  transmit(command: Uint8Array, protocol: number): Uint8Array {
    const { card } = this;
    if (card === undefined) throw new PcscError(PCSC.INVALID_HANDLE.code, "the card is not connected");
    const answer = new Uint8Array(MAX_ANSWER_BYTES);
    const length: [number] = [answer.length];
    const request = { dwProtocol: protocol, cbPciLength: pcscLibrary().ioRequestBytes };
    this.check("SCardTransmit", pcscLibrary().transmit(card, request, command, command.length, null, answer, length));
    return answer.slice(0, Number(length[0]));
  }

  disconnect(disposition: number): void {
    const { card } = this;
    try {
      this.card = undefined;
      if (card !== undefined) this.check("SCardDisconnect", pcscLibrary().disconnect(card, disposition));
    } finally {
      this.release();
    }
  }

  /** Releases the context. Never throws: if the service is gone, the library drops the context anyway. */
  release(): void {
    const { context } = this;
    this.context = undefined;
    this.card = undefined;
    if (context !== undefined) pcscLibrary().release(context);
  }

  private established(): Handle {
    if (this.context === undefined) throw new PcscError(PCSC.INVALID_HANDLE.code, "there is no context");
    return this.context;
  }

  private check(name: string, result: Handle): void {
    const code = unsigned(result);
    if (code !== 0) throw new PcscError(code, `${name}: ${textOf(code)} (0x${code.toString(16)})`);
  }
}

/** Ends another thread's wait with this context. Runs on a libuv thread, which a hanging pcscd blocks. */
export function cancelWait(context: Handle): Promise<void> {
  return new Promise((resolve) => {
    pcscLibrary().cancel.async(context, () => resolve());
  });
}

/** Returns a result as an unsigned number of 32 bits. A LONG is signed on Windows and has 64 bits on Linux. */
const unsigned = (result: Handle): number => Number(result) >>> 0;

function recordOf({ name, state }: ReaderState): ReaderRecord {
  return {
    szReader: name,
    pvUserData: null,
    dwCurrentState: state,
    dwEventState: 0,
    cbAtr: 0,
    rgbAtr: new Uint8Array(SYSTEM.atrBytes),
  };
}

/** Returns the reported state, or the known state if PC/SC reported no change. */
function eventOf(record: ReaderRecord | undefined, known: number): number {
  const event = Number(record?.dwEventState ?? 0);
  return (event & STATE_CHANGED) === 0 ? known : (event & ~STATE_CHANGED) >>> 0;
}
