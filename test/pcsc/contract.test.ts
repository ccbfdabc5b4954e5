/** The contract of the secure element, unchanged, through a real PC/SC stack. */
import { onTestFinished } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { PCSC_MODULES } from "../../src/secure-element/pcsc/binding.js";
import { secureElementContract } from "../contract/secure-element.contract.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { eventually } from "../support/pcsc.js";
import { cardInReader, testedBinding } from "../support/pcsc-card.js";

pcscdForFile();

const KINDS: Record<string, Record<string, unknown>> = {
  "through pcscd": {},
  "through pcscd, CRC and 512 bytes of internal data": { appletVersion: "3.3.0", internalDataBytes: 512 },
  "through pcscd, answers in pieces with 61xx": { longAnswers: "61xx" },
  "through pcscd, Le corrected with 6Cxx": { longAnswers: "6Cxx" },
};

// The profiles change the bytes of the answers, which both modules hand on alike: the second module plays the first profile alone.
const played = Object.entries(KINDS).slice(0, testedBinding().module === PCSC_MODULES[0] ? undefined : 1);
for (const [name, profile] of played) {
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
