/** The contract on the emulated card in process, once for each kind of applet. */
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { makeCard } from "../support/emulated-card.js";
import { secureElementContract } from "./secure-element.contract.js";

const KINDS: Record<string, Record<string, unknown>> = {
  "applet 3.1.1, PIN as numbers, no CRC": { appletVersion: "3.1.1" },
  "applet 3.2.3, PIN as ASCII, no CRC": { appletVersion: "3.2.3" },
  "applet 3.2.6, PIN as ASCII, CRC": { appletVersion: "3.2.6" },
  "applet 3.3.0, PIN as numbers, CRC": { appletVersion: "3.3.0" },
  "a card without INS 15 and 16": { lastSignedInvoice: false, pinTriesLeftCommand: false },
  "a card with 512 bytes of internal data": { internalDataBytes: 512, appletVersion: "3.3.0" },
  "a card that refuses a PIN as ISO 7816-4": { pinAnswers: "iso", pinTriesLeftCommand: false },
  "a card that answers in pieces with 61xx": { longAnswers: "61xx" },
  "a card that corrects Le with 6Cxx": { longAnswers: "6Cxx" },
};

for (const [name, profile] of Object.entries(KINDS)) {
  secureElementContract(name, async () => {
    const reader = new EmulatedReader();
    const card = makeCard(profile);
    reader.insert(card);
    const secureElement = new ApduSecureElement(reader);
    await secureElement.start();
    return {
      secureElement,
      pin: card.profile.pin,
      remove: async () => reader.remove(),
      insert: async () => {
        reader.insert(card);
        await secureElement.refresh();
      },
    };
  });
}
