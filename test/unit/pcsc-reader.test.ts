import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { BindingMissing, PcscError } from "../../src/secure-element/pcsc/binding.js";
import { explainMissing, missingReason } from "../../src/secure-element/pcsc/missing.js";
import { PCSC } from "../../src/secure-element/pcsc/pcsc-codes.js";
import { toCardError } from "../../src/secure-element/pcsc/pcsc-errors.js";
import { PcscReader } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { pcscliteBinding } from "../../src/secure-element/pcsc/pcsclite-binding.js";
import type { NativeContext } from "../../src/secure-element/pcsc/pcsclite-module.js";

const error = (code: number) => new PcscError(code, "SCardTransmit: something");
const KOFFI = { module: "koffi", reader: undefined } as const;

it("a machine without the module has no reader, and says how to continue without the module", async () => {
  const reader = new PcscReader({
    probe: async () => true,
    resetAtEnd: false,
    binding: pcscliteBinding(() => {
      throw new BindingMissing("no-module", "Cannot find module 'pcsclite'");
    }),
  });
  await reader.start();
  expect([reader.slot, reader.missing]).toEqual(["no-reader", "no-module"]);
  expect(reader.description).toContain("pcsclite is not installed; run `npm install pcsclite`");
  await expect(reader.connect()).rejects.toMatchObject({ fault: "reader-lost", sent: false });
  await reader.close();
});

it("a machine without the module names the packages on Debian and the service on Windows, and never a compiler", () => {
  expect(explainMissing("no-library", KOFFI, "linux")).toContain("apt-get install pcscd");
  expect(explainMissing("no-service", KOFFI, "linux")).toContain("systemctl start pcscd");
  expect(explainMissing("no-service", KOFFI, "win32")).toContain("SCardSvr");
  for (const missing of ["no-module", "no-library", "no-service"] as const) {
    for (const platform of ["linux", "win32", "darwin"] as const) {
      for (const module of ["koffi", "pcsclite"] as const) {
        const sentence = explainMissing(missing, { module, reader: undefined }, platform);
        expect(sentence).not.toMatch(/build-essential|Visual Studio|compiler|-dev\b/);
      }
    }
  }
});

it("a machine without the module has a code for the console, with the wanted reader", () => {
  expect(missingReason("no-module", KOFFI, "linux")).toEqual({ code: "noModule" });
  expect(missingReason("no-module", { ...KOFFI, module: "pcsclite" }, "linux")).toEqual({ code: "noModulePcsclite" });
  expect(missingReason("no-library", KOFFI, "linux")).toEqual({ code: "noLibraryLinux" });
  expect(missingReason("no-library", KOFFI, "darwin")).toEqual({ code: "noLibrary" });
  expect(missingReason("no-service", KOFFI, "win32")).toEqual({ code: "noServiceWindows" });
  expect(missingReason("no-service", KOFFI, "darwin")).toEqual({ code: "noService" });
  expect(missingReason("no-reader", KOFFI, "linux")).toEqual({ code: "noReader" });
  const named = missingReason("no-card", { ...KOFFI, reader: "ACS" }, "linux");
  expect(named).toEqual({ code: "noCardNamed", values: { reader: "ACS" } });
});

it("the context in which pcsclite watches the readers is never closed: that would wait on the main thread for pcscd and for a thread, perhaps for ever", async () => {
  const close = vi.fn();
  const context = Object.assign(new EventEmitter(), { readers: { one: { close } }, close });
  const binding = pcscliteBinding(() => () => context as unknown as NativeContext);
  const reader = new PcscReader({ probe: async () => true, resetAtEnd: false, binding });
  await reader.start();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await reader.close();
  vi.advanceTimersByTime(60_000);
  expect(close).not.toHaveBeenCalled();
});

it.each([
  ["a reset by another program", PCSC.RESET_CARD, "reset", false],
  ["a card that lost its power", PCSC.UNPOWERED_CARD, "reset", false],
  ["a card that another program holds", PCSC.SHARING_VIOLATION, "no-answer", false],
  ["a removal, possibly during the exchange", PCSC.REMOVED_CARD, "removed", true],
  ["a dead pcscd, possibly during the exchange", PCSC.NO_SERVICE, "reader-lost", true],
  ["an exchange that broke off", 0x80100016, "no-answer", true],
])(
  "an error of PC/SC maps %s to a fault, and to whether the card may have seen the command",
  (_what, code, fault, sent) => {
    expect(toCardError(error(code), { sending: true })).toMatchObject({ fault, sent });
    expect(toCardError(error(code), { sending: false })).toMatchObject({ fault, sent: false });
  },
);
