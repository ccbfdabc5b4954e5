import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { explainMissing, missingReason } from "../../src/secure-element/pcsc/missing.js";
import { PCSC, toCardError } from "../../src/secure-element/pcsc/pcsc-errors.js";
import { PcscReader } from "../../src/secure-element/pcsc/pcsc-reader.js";
import type { NativeContext } from "../../src/secure-element/pcsc/pcsclite.js";

const error = (code: number) => new Error(`SCardTransmit error: something.(0x${code.toString(16)})`);

describe("a machine without the module", () => {
  it("has no reader, and says how to get the module", async () => {
    const reader = new PcscReader({
      probe: async () => true,
      resetAtEnd: false,
      module: { outcome: "no-module", reason: "Cannot find module 'pcsclite'" },
    });
    await reader.start();
    expect([reader.slot, reader.missing]).toEqual(["no-reader", "no-module"]);
    expect(reader.description).toContain("pcsclite is not installed");
    await expect(reader.connect()).rejects.toMatchObject({ fault: "reader-lost", sent: false });
    await reader.close();
  });

  it("is told the packages on Debian and the service on Windows", () => {
    expect(explainMissing("no-module", undefined, "linux")).toContain("libpcsclite-dev");
    expect(explainMissing("no-service", undefined, "linux")).toContain("systemctl start pcscd");
    expect(explainMissing("no-service", undefined, "win32")).toContain("SCardSvr");
  });

  it("is a code for the console, with the reader that is wanted", () => {
    expect(missingReason("no-module", undefined, "linux")).toEqual({ code: "noModuleLinux" });
    expect(missingReason("no-service", undefined, "win32")).toEqual({ code: "noServiceWindows" });
    expect(missingReason("no-service", undefined, "darwin")).toEqual({ code: "noService" });
    expect(missingReason("no-reader", undefined, "linux")).toEqual({ code: "noReader" });
    expect(missingReason("no-card", "ACS", "linux")).toEqual({ code: "noCardNamed", values: { reader: "ACS" } });
  });
});

describe("what watches the readers", () => {
  /** A context of the module, and how often it was closed: the module joins a thread then, now and then for ever. */
  function watched(options: { readonly endsWithProcess?: boolean } = {}) {
    let closed = 0;
    const context = Object.assign(new EventEmitter(), { readers: {}, close: () => void closed++ });
    const module = { outcome: "loaded", open: () => context as NativeContext } as const;
    const reader = new PcscReader({ probe: async () => true, resetAtEnd: false, module, ...options });
    return { reader, closed: () => closed };
  }

  it("is closed with a reader that another one follows", async () => {
    const { reader, closed } = watched();
    await reader.start();
    await reader.close();
    expect(closed()).toBe(1);
  });

  it("is left to the end of the process that only looks, or that ends next", async () => {
    const looks = watched({ endsWithProcess: true });
    const serves = watched();
    await Promise.all([looks.reader.start(), serves.reader.start()]);
    serves.reader.endWithProcess();
    await Promise.all([looks.reader.close(), serves.reader.close()]);
    expect([looks.closed(), serves.closed()]).toEqual([0, 0]);
  });
});

describe("an error of PC/SC", () => {
  it.each([
    ["a reset by another program", PCSC.RESET_CARD, "reset", false],
    ["a card that lost its power", PCSC.UNPOWERED_CARD, "reset", false],
    ["a card that another program holds", PCSC.SHARING_VIOLATION, "no-answer", false],
    ["a removal, which may have come in the middle", PCSC.REMOVED_CARD, "removed", true],
    ["a dead pcscd, which may have died in the middle", PCSC.NO_SERVICE, "reader-lost", true],
    ["an exchange that broke off", 0x80100016, "no-answer", true],
  ])("is, for %s, the fault and whether the card can have seen the command", (_what, code, fault, sent) => {
    expect(toCardError(error(code), { sending: true })).toMatchObject({ fault, sent });
    expect(toCardError(error(code), { sending: false })).toMatchObject({ fault, sent: false });
  });
});
