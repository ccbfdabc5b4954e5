/** Emulated cards for tests, seeded so that every run has the same bytes. */

import { generateKeyPairSync } from "node:crypto";
import { initialState, VolatileMemory } from "../../emulator/card/card-state.js";
import { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { type CardIntercept, EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { parseProfile } from "../../emulator/card/profile.js";
import { FIXTURE_KEYS, loadKeys } from "../../emulator/pki/keys.js";
import { SeededRandom } from "../../emulator/pki/random.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";

export const KEYS = loadKeys(FIXTURE_KEYS);

/** @param profile fields of a profile file */
export function makeCard(profile: Record<string, unknown> = {}, seed = "test", keys = KEYS): EmulatedCard {
  const parsed = parseProfile(profile);
  return new EmulatedCard(parsed, new VolatileMemory(initialState(parsed)), keys, new SeededRandom(seed));
}

/** All other emulated cards share one key pair. */
export function makeCardWithOwnKey(profile: Record<string, unknown> = {}): EmulatedCard {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const cardKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return makeCard(profile, "own key", { ...KEYS, cardKey });
}

/** The card's answer to a command, both in hexadecimal. */
export async function send(card: EmulatedCard, hex: string): Promise<string> {
  return Buffer.from(await card.transmit(Buffer.from(hex, "hex")))
    .toString("hex")
    .toUpperCase();
}

/** An empty reader with a test between it and the card. */
export const readerWith = (exchange: CardIntercept["exchange"]) =>
  new EmulatedReader({ connect: (run) => run(), exchange });

/** A card in a reader, and the secure element on top of both, with its PIN verified. */
export async function verifiedElement(profile: Record<string, unknown>) {
  const card = makeCard(profile);
  const reader = new EmulatedReader();
  reader.insert(card);
  const secureElement = new ApduSecureElement(reader);
  await secureElement.start();
  await secureElement.verifyPin(card.profile.pin);
  return { card, secureElement };
}
