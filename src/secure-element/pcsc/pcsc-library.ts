/**
 * The functions of the system's PC/SC library, through koffi.
 * The three systems have the same functions but different sizes: DWORD and LONG have 64 bits in pcsc-lite on 64-bit
 * Linux, and 32 bits on Windows and macOS. macOS packs the structures.
 */
import { join } from "node:path";
import koffi, { type TypeObject } from "koffi";
import { messageOf } from "../../base/thrown.js";
import { PcscError } from "./pcsc-errors.js";

/** Type of SCARDCONTEXT and of SCARDHANDLE. */
export type Handle = number | bigint;

interface System {
  readonly library: string;
  readonly dword: TypeObject;
  readonly long: TypeObject;
  readonly handle: TypeObject;
  /** Type of the reader's name. Windows has two forms of each function with texts: A uses the code page, W Unicode. */
  readonly text: TypeObject;
  readonly suffix: "" | "W";
  readonly atrBytes: number;
  readonly isPacked: boolean;
  /** Name of the pseudo reader that reports when readers arrive or leave; undefined if the system has none. */
  readonly notification: string | undefined;
}

const { types } = koffi;
const NOTIFICATION = "\\\\?PnP?\\Notification";
const PCSC_LITE: System = {
  library: "libpcsclite.so.1",
  dword: types["unsigned long"],
  long: types.long,
  handle: types.long,
  text: types.str,
  suffix: "",
  atrBytes: 33,
  isPacked: false,
  notification: NOTIFICATION,
};
const SYSTEMS: Partial<Record<NodeJS.Platform, System>> = {
  win32: {
    // Use the full path, because Windows first looks for a bare name in the program's folder.
    library: join(process.env.SystemRoot ?? "C:\\Windows", "System32", "winscard.dll"),
    dword: types.uint32_t,
    long: types.int32_t,
    handle: types.uintptr_t,
    text: types.str16,
    suffix: "W",
    atrBytes: 36,
    isPacked: false,
    notification: NOTIFICATION,
  },
  darwin: {
    ...PCSC_LITE,
    library: "/System/Library/Frameworks/PCSC.framework/PCSC",
    dword: types.uint32_t,
    long: types.int32_t,
    handle: types.int32_t,
    isPacked: true,
    notification: undefined,
  },
};
const systemOf = (platform: NodeJS.Platform): System => SYSTEMS[platform] ?? PCSC_LITE;
export const SYSTEM = systemOf(process.platform);

/** A structure for SCardGetStatusChange. */
export interface ReaderRecord {
  readonly szReader: string;
  readonly pvUserData: null;
  readonly dwCurrentState: number;
  readonly dwEventState: number;
  readonly cbAtr: number;
  readonly rgbAtr: Uint8Array;
}

export interface Library {
  readonly ioRequestBytes: number;
  establish(scope: number, one: null, two: null, context: [Handle]): Handle;
  release(context: Handle): Handle;
  listReaders(context: Handle, groups: null, names: Uint8Array | null, length: [number]): Handle;
  getStatusChange(context: Handle, limit: number, readers: ReaderRecord[], count: number): Handle;
  connect(
    context: Handle,
    reader: string,
    share: number,
    protocols: number,
    card: [Handle],
    protocol: [Handle],
  ): Handle;
  disconnect(card: Handle, disposition: number): Handle;
  transmit(
    card: Handle,
    request: { dwProtocol: number; cbPciLength: number },
    command: Uint8Array,
    commandLength: number,
    answerRequest: null,
    answer: Uint8Array,
    answerLength: [number],
  ): Handle;
  readonly cancel: { async(context: Handle, done: (error: unknown) => void): void };
}

type Parameter = string | TypeObject | ReturnType<typeof koffi.out>;

/** Returns the structures SCARD_IO_REQUEST and SCARD_READERSTATE of a system. */
export function structuresOf(platform: NodeJS.Platform): { ioRequest: TypeObject; readerState: TypeObject } {
  const { dword, text, atrBytes, isPacked } = systemOf(platform);
  const struct = isPacked ? koffi.pack : koffi.struct;
  return {
    ioRequest: struct({ dwProtocol: dword, cbPciLength: dword }),
    readerState: struct({
      szReader: text,
      pvUserData: "void *",
      dwCurrentState: dword,
      dwEventState: dword,
      cbAtr: dword,
      rgbAtr: koffi.array("uint8_t", atrBytes, "Typed"),
    }),
  };
}

let loaded: Library | undefined;

/** @throws PcscError */
export function pcscLibrary(): Library {
  loaded ??= load();
  return loaded;
}

function load(): Library {
  const { dword, long, handle, text, suffix } = SYSTEM;
  const lib = loadLibrary();
  const { ioRequest, readerState } = structuresOf(process.platform);
  const bytes = koffi.pointer("uint8_t");
  const { out, inout, pointer } = koffi;
  const call = (name: string, ...args: Parameter[]) => lib.func("__stdcall", name, long, args);
  const named = (name: string) => `${name}${suffix}`;
  return {
    ioRequestBytes: ioRequest.size,
    establish: call("SCardEstablishContext", dword, "void *", "void *", out(pointer(handle))),
    release: call("SCardReleaseContext", handle),
    listReaders: call(named("SCardListReaders"), handle, "void *", out(bytes), inout(pointer(dword))),
    getStatusChange: call(named("SCardGetStatusChange"), handle, dword, inout(pointer(readerState)), dword),
    connect: call(named("SCardConnect"), handle, text, dword, dword, out(pointer(handle)), out(pointer(dword))),
    disconnect: call("SCardDisconnect", handle, dword),
    transmit: call(
      "SCardTransmit",
      handle,
      pointer(ioRequest),
      bytes,
      dword,
      "void *",
      out(bytes),
      inout(pointer(dword)),
    ),
    cancel: call("SCardCancel", handle),
  };
}

function loadLibrary() {
  try {
    return koffi.load(SYSTEM.library);
  } catch (error) {
    throw new PcscError("no-library", messageOf(error));
  }
}
