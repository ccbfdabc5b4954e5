import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { explainMissing } from "../../src/secure-element/pcsc/missing.js";
import { PCSC, PcscError, toCardError } from "../../src/secure-element/pcsc/pcsc-errors.js";
import { PcscReader } from "../../src/secure-element/pcsc/pcsc-reader.js";
import { type NativeContext, pcscliteBinding } from "../../src/secure-element/pcsc/pcsclite-binding.js";

const KOFFI = { module: "koffi", reader: undefined } as const;

it("a machine without the module has no reader, and says how to continue without the module", async () => {
  const reader = new PcscReader({
    probe: async () => true,
    resetAtEnd: false,
    binding: pcscliteBinding(() => {
      throw new PcscError("no-module", "Cannot find module 'pcsclite'");
    }),
  });
  await reader.start();
  expect([reader.slot, reader.missing]).toEqual(["no-reader", "no-module"]);
  expect(reader.description).toContain("pcsclite is not installed; run `npm install pcsclite`");
  await expect(reader.connect()).rejects.toMatchObject({ fault: "reader-lost", sent: false });
  await reader.close();
});

it.each([
  ["no-module", {}, "linux", "noModule", "npm ci"],
  ["no-module", { module: "pcsclite" }, "linux", "noModulePcsclite", "npm install pcsclite"],
  ["no-library", {}, "linux", "noLibraryLinux", "apt-get install pcscd"],
  ["no-library", {}, "darwin", "noLibrary", "cannot be loaded"],
  ["no-service", {}, "linux", "noServiceLinux", "systemctl start pcscd"],
  ["no-service", {}, "win32", "noServiceWindows", "SCardSvr"],
  ["no-service", {}, "darwin", "noService", "start it"],
  ["no-reader", {}, "linux", "noReader", "plug one in"],
  ["no-card", { reader: "ACS" }, "linux", "noCardNamed", '"ACS"'],
] as const)("a machine where something is missing (%s, %j, %s) says what to do, never to compile", (...row) => {
  const [missing, wanted, platform, code, help] = row;
  const { why, text } = explainMissing(missing, { ...KOFFI, ...wanted }, platform);
  expect(why).toEqual("reader" in wanted ? { code, values: wanted } : { code });
  expect(text).toContain(help);
  expect(text).not.toMatch(/build-essential|Visual Studio|compiler|-dev\b/);
});

it.each(["no-service", "no-reader", "no-card"] as const)(
  "a Remote Desktop session says first whose readers it shows: %s",
  (missing) => {
    const at = (session: string) => {
      vi.stubEnv("SESSIONNAME", session);
      return explainMissing(missing, KOFFI, "win32").text;
    };
    onTestFinished(() => void vi.unstubAllEnvs());
    const console = at("Console");
    expect(console).not.toContain("Remote Desktop");
    expect(at("RDP-Tcp#7")).toBe(
      `this Remote Desktop session shows the readers of the machine in front of you, not the till's; run the command at the till; ${console}`,
    );
  },
);

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
  ["a reset by another program", PCSC.RESET_CARD.code, "reset", false],
  ["a card that lost its power", PCSC.UNPOWERED_CARD.code, "reset", false],
  ["a card that another program holds", PCSC.SHARING_VIOLATION.code, "no-answer", false],
  ["a removal, possibly during the exchange", PCSC.REMOVED_CARD.code, "removed", true],
  ["a dead pcscd, possibly during the exchange", PCSC.NO_SERVICE.code, "reader-lost", true],
  ["an exchange that broke off", 0x80100016, "no-answer", true],
])("an error of PC/SC maps %s to a fault, and whether the card may have the command", (_what, code, fault, sent) => {
  expect(toCardError(new PcscError(code, "SCardTransmit: something"))).toMatchObject({ fault, sent });
});
