/** The emulated card beyond the SecureElement contract: raw APDUs, limits, audits, directives. */
import { execFileSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { FolderMemory, initialState } from "../../emulator/card/card-state.js";
import { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { parseProfile } from "../../emulator/card/profile.js";
import { decodeInternalData } from "../../emulator/pki/internal-data.js";
import { SeededRandom } from "../../emulator/pki/random.js";
import { decryptBlock } from "../../emulator/pki/rsa-block.js";
import { ConfigError } from "../../src/config/config-error.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { sign, signed, signRequest } from "../contract/secure-element.contract.js";
import { KEYS, makeCard, send, verifiedElement } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";

const SELECT = "00A4040010A000000748464A492D546178436F7265";
const SIGN_DATA =
  "0000017CC744EAB5000000000000000000000031303136343734363400000000000000000000000000000000000000000000000000000F42400101000000000F4240";

/** A card whose applet is selected. */
async function selected(profile: Record<string, unknown> = {}, seed?: string): Promise<EmulatedCard> {
  const card = makeCard(profile, seed);
  await send(card, SELECT);
  return card;
}

/** A selected card that has accepted its PIN. */
async function unlocked(profile?: Record<string, unknown>, seed?: string): Promise<EmulatedCard> {
  const card = await selected(profile, seed);
  await send(card, "881104000401020304");
  return card;
}

it("emulated card answers the exchanges that were recorded from other programs", async () => {
  const card = makeCard();
  expect(await send(card, SELECT)).toBe("9000");
  expect(await send(card, `${SELECT}00`)).toBe("9000");
  expect(await send(card, "8809040000")).toBe("0000000300000001000000019000");
  expect(await send(card, "881104000401020304")).toBe("9000");
  // 577 bytes in one piece, although Le is a short 00.
  const answer = await send(card, `8813040042${SIGN_DATA}00`);
  expect(answer).toHaveLength(2 * 577 + 4);
  expect(answer.slice(0, 114)).toBe(SIGN_DATA.slice(0, 114));
  expect(answer.slice(114, 130)).toBe("0000000100000001");
  expect((await send(card, "8807040000")).slice(-10)).toBe("0100019000");
  expect((await send(card, "8804040000")).length).toBeGreaterThan(2 * 1400);
  expect(await send(card, "881404000E")).toBe("000000000F42400000174876E8009000");
});

it("emulated card signs the first 321 bytes with a key that openssl verifies", async () => {
  const card = await unlocked();
  const answer = Buffer.from(await send(card, `8813040042${SIGN_DATA}00`), "hex");
  const folder = temporaryFolder();
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const key = createPublicKey(KEYS.cardKey).export({ type: "spki", format: "pem" });
  const verdict = execFileSync("openssl", [
    ...["dgst", "-sha1", "-verify", file("key.pem", key)],
    ...["-signature", file("signature", answer.subarray(321, 577)), file("signed", answer.subarray(0, 321))],
  ]);
  expect(verdict.toString().trim()).toBe("Verified OK");
});

it("emulated card puts into the internal data what its authority reads back", async () => {
  const { secureElement } = await verifiedElement({});
  const { encryptedInternalData } = await signed(secureElement);
  const plain = decryptBlock(encryptedInternalData, KEYS.authorityPrivateKey);
  expect(plain && decodeInternalData(plain)).toMatchObject({
    uid: "TESTCARD",
    totalAmount: 1_200_000n,
    totalCounter: 1,
    pairCounter: 1,
    sum: 1_200_000n,
    categories: [{ orderId: 1, amount: 200_000n }],
  });
});

it("emulated card gives identical bytes for identical seeds", async () => {
  const once = async (seed: string) => {
    const card = await unlocked({}, seed);
    return send(card, `8813040042${SIGN_DATA}00`);
  };
  expect(await once("a")).toBe(await once("a"));
  expect(await once("a")).not.toBe(await once("b"));
});

it("emulated card locks after the last wrong PIN and stays locked, even for the right PIN", async () => {
  const { secureElement } = await verifiedElement({ pinTries: 3 });
  expect(await secureElement.verifyPin("0000")).toEqual({ kind: "wrong-pin", pinTriesLeft: 2 });
  expect(await sign(secureElement)).toEqual({ kind: "pin-required" });
  expect(await secureElement.verifyPin("0000")).toEqual({ kind: "wrong-pin", pinTriesLeft: 1 });
  expect(await secureElement.verifyPin("0000")).toEqual({ kind: "locked" });
  expect(await secureElement.verifyPin("1234")).toEqual({ kind: "locked" });
  expect(await sign(secureElement)).toEqual({ kind: "locked" });
});

it("emulated card refuses even the right PIN when no attempt is left", async () => {
  const card = await selected({ pinTries: 1 });
  const wrong = await send(card, "881104000400000000");
  expect([wrong, await send(card, "881104000401020304"), card.isPinVerified]).toEqual(["6310", "6310", false]);
});

it("emulated card accepts the PIN at once after another program has reset it", async () => {
  const card = makeCard();
  const reader = new EmulatedReader();
  reader.insert(card);
  const secureElement = new ApduSecureElement(reader);
  await secureElement.start();
  reader.reset();
  expect(await secureElement.verifyPin("1234")).toEqual({ kind: "verified" });
});

it("emulated card is gone when it was pulled out while the reader was still connecting to it", async () => {
  const reader: EmulatedReader = new EmulatedReader({
    connect: async () => reader.remove(),
    exchange: (_command, run) => run(),
  });
  reader.insert(makeCard());
  await expect(reader.connect()).rejects.toMatchObject({ fault: "removed", sent: false });
});

it("emulated card refuses what it cannot sign and counts nothing", async () => {
  const valid = { validFrom: "2025-01-01T00:00:00Z", validTo: "2027-01-01T00:00:00Z" };
  const { secureElement } = await verifiedElement(valid);
  const categories = Array.from({ length: 25 }, (_, i) => ({ orderId: i + 1, amount: 1n }));
  expect(await sign(secureElement, signRequest({ categories }))).toEqual({ kind: "too-many-categories" });
  const late = signRequest({ time: Date.UTC(2028, 0, 1) });
  expect(await sign(secureElement, late)).toEqual({ kind: "time-outside-certificate" });
  expect((await signed(secureElement)).totalCounter).toBe(1);
});

it.each([
  ["its counter of all invoices", { total: 0xfffffffe }],
  ["the counter of a pair of types", { total: 5, NS: 0xfffffffe }],
])("emulated card stops at the end of %s", async (_what, counters) => {
  const { card, secureElement } = await verifiedElement({ counters });
  await signed(secureElement);
  const before = card.memory.load();
  expect(await sign(secureElement)).toEqual({ kind: "counter-at-end" });
  expect(card.memory.load()).toEqual(before);
});

it("emulated card still signs other types when the counter of one pair has reached its end", async () => {
  const { secureElement } = await verifiedElement({ counters: { total: 5, NS: 0xffffffff } });
  expect(await sign(secureElement)).toEqual({ kind: "counter-at-end" });
  expect((await signed(secureElement, signRequest({ transactionType: "Refund" }))).totalCounter).toBe(6);
});

it("emulated card accepts P1P2 0000 besides 0400, unless its profile says otherwise", async () => {
  const exchange = async (profile: Record<string, unknown>) => {
    const card = await selected(profile);
    return [
      await send(card, "881100000401020304"),
      (await send(card, `8813000042${SIGN_DATA}00`)).slice(-4),
      (await send(card, "8804000000")).slice(-4),
      (await send(card, "881400000E")).slice(-4),
    ];
  };
  expect(await exchange({})).toEqual(["9000", "9000", "9000", "9000"]);
  expect(await exchange({ zeroP1P2: false })).toEqual(["6A86", "6A86", "6A86", "6A86"]);
});

it("emulated card is selected by the first bytes of an applet's AID, at least five", async () => {
  const card = makeCard();
  const select = (aid: string) => send(card, `00A40400${(aid.length / 2).toString(16).padStart(2, "0")}${aid}00`);
  expect(await select("A00000074846")).toBe("9000");
  expect((await send(card, "8809040000")).slice(-4)).toBe("9000");
  expect(await select("A00000039742544659")).toBe("9000");
  expect(await send(card, "002000800431323334")).toBe("9000");
  // Every applet of the card has this prefix.
  expect(await select("A00000")).toBe("6A82");
  expect(await select("A000000397425446590201FF")).toBe("6A82");
});

it("emulated card drops the rest of a long answer when another command comes", async () => {
  const card = await selected({ longAnswers: "61xx" });
  expect((await send(card, "8804040000")).slice(-4)).toBe("6100");
  await send(card, "8809040000");
  expect(await send(card, "00C0000000")).toBe("6D00");
});

it("emulated card supports each form of a long answer, and signs once in every form", async () => {
  for (const [longAnswers, version, certificate, signature] of [
    ["whole", "9000", "9000", "9000"],
    ["61xx", "9000", "6100", "6100"],
    ["6Cxx", "6C0C", "6100", "6100"],
  ]) {
    const card = await unlocked({ longAnswers });
    expect((await send(card, "8809040000")).slice(-4)).toBe(version);
    expect((await send(card, "8804040000")).slice(-4)).toBe(certificate);
    expect((await send(card, `8813040042${SIGN_DATA}00`)).slice(-4)).toBe(signature);
    expect(card.memory.load().totalCounter).toBe(1);
  }
  const card = await unlocked({ longAnswers: "6Cxx" });
  expect(await send(card, "880904000C")).toBe("0000000300000001000000019000");
  // The card asks for the first command again, and answers the second one.
  expect(await send(card, `8813040042${SIGN_DATA}10`)).toBe("6C00");
  expect(await send(card, `8813040042${SIGN_DATA}00`)).toMatch(/^.{114}0000000100000001.*6100$/);
  expect(card.memory.load().totalCounter).toBe(1);
});

it("emulated card names the tax authority without a trailing slash, because other services append a path", async () => {
  const { secureElement } = await verifiedElement({});
  const { state } = secureElement;
  expect(state.kind === "ready" && state.identity.taxAuthorityApi).toBe("https://tax-authority.test");
});

it("emulated card accepts the 2017 form with 8-byte amounts when the profile allows it", async () => {
  const old = `${SIGN_DATA.slice(0, 100)}00${SIGN_DATA.slice(100, 114)}010100${SIGN_DATA.slice(118)}`;
  expect(old).toHaveLength(2 * 68);
  for (const eightByteAmounts of [true, false]) {
    const card = await unlocked({ eightByteAmounts });
    expect(await send(card, `8813040044${old}00`)).toHaveLength(eightByteAmounts ? 577 * 2 + 4 : 4);
  }
});

it("emulated card answers random bytes with a status word and never counts them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 10 }), async (commands) => {
      const card = await selected();
      for (const command of commands) {
        expect((await card.transmit(command)).length).toBeGreaterThanOrEqual(2);
      }
      expect(card.memory.load().totalCounter).toBe(0);
    }),
  );
});

/** A card whose state is in a folder. */
function cardIn(folder: string) {
  const profile = parseProfile({});
  const memory = new FolderMemory(folder, profile.uid, initialState(profile));
  return { memory, card: new EmulatedCard(profile, memory, KEYS, new SeededRandom("x")) };
}

it("emulated card keeps its state in a folder, and does not restart at zero when the state is damaged", async () => {
  const folder = temporaryFolder();
  const open = () => cardIn(folder).card;
  const first = open();
  await send(first, SELECT);
  await send(first, "881104000400000000");
  await send(first, "881104000401020304");
  await send(first, `8813040042${SIGN_DATA}00`);
  const second = open();
  expect(second.memory.load()).toEqual(first.memory.load());
  expect(second.memory.load().totalCounter).toBe(1);
  const file = join(folder, "TESTCARD.json");
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 30));
  expect(() => second.memory.load()).toThrow(/damaged/);
});

it("a card answers no signature when its state cannot be saved", async () => {
  const { card, memory } = cardIn(join(temporaryFolder(), "card"));
  await send(card, SELECT);
  await send(card, "881104000401020304");
  const full = vi.spyOn(memory, "save").mockImplementation(() => {
    throw new Error("no space left on device");
  });
  await expect(send(card, `8813040042${SIGN_DATA}00`)).rejects.toThrow("no space");
  full.mockRestore();
  expect(memory.load().totalCounter).toBe(0);
});

it("card profile reports every wrong field in one error", () => {
  const parse = () => parseProfile({ uid: "short", pin: 1234, colour: "red" });
  expect(parse).toThrow(ConfigError);
  expect(parse).toThrow(/(?=.*colour)(?=.*uid)(?=.*pin)/);
});

it("card profile has a default for everything", () => {
  expect(parseProfile(undefined)).toMatchObject({ uid: "TESTCARD", pin: "1234", pinTries: 5, appletVersion: "3.1.1" });
});
