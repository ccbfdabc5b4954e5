import { endianness } from "node:os";
import { expect, it } from "vitest";
import { structuresOf } from "../../src/secure-element/pcsc/pcsc-library.js";

const is64 = process.arch.endsWith("64") && endianness() === "LE";

// DWORD has 8 bytes in pcsc-lite and 4 elsewhere, an ATR 33 or 36; macOS packs.
it.runIf(is64 && process.platform !== "win32").each([
  ["linux", 16, 80],
  ["win32", 8, 64],
  ["darwin", 8, 61],
] as const)(
  "the structures of PC/SC have the sizes of winscard.h on a 64-bit %s",
  (platform, ioRequestBytes, readerStateBytes) => {
    const { ioRequest, readerState } = structuresOf(platform);
    expect([ioRequest.size, readerState.size]).toEqual([ioRequestBytes, readerStateBytes]);
  },
);
