/** The contract of the secure element, unchanged, through a real PC/SC stack. */
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { secureElementContract } from "../contract/secure-element.contract.js";
import { eventually, Pcscd } from "../support/pcsc.js";
import { cardInReader } from "../support/pcsc-card.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

const KINDS: Record<string, Record<string, unknown>> = {
  "through pcscd": {},
  "through pcscd, CRC and 512 bytes of internal data": { appletVersion: "3.3.0", internalDataBytes: 512 },
  "through pcscd, answers in pieces with 61xx": { longAnswers: "61xx" },
  "through pcscd, Le corrected with 6Cxx": { longAnswers: "6Cxx" },
};

for (const [name, profile] of Object.entries(KINDS)) {
  secureElementContract(name, async () => {
    const { card, reader, remove, insert } = await cardInReader(profile);
    const secureElement = new ApduSecureElement(reader);
    await secureElement.start();
    onTestFinished(() => secureElement.close());
    const isReady = () => secureElement.state.kind === "ready";
    await eventually(isReady, "the card is read");
    return {
      secureElement,
      pin: card.profile.pin,
      remove,
      insert: async () => {
        await insert();
        await eventually(isReady, "the card is read again");
      },
    };
  });
}
