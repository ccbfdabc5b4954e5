/** After one garbled answer, service and card agree on the PIN session, and the PIN is not needed again. */
import { expect, it } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import type { SecureElement } from "../../src/secure-element/secure-element.js";
import { sign } from "../contract/secure-element.contract.js";
import { makeCard } from "../support/emulated-card.js";
import { statusWord, type Tamper, TamperedReader } from "../support/tampered-till.js";

const UID = "TESTCARD";

/** Everything that the service asks of a card between two sales. */
const OPERATIONS: Readonly<Record<string, (element: SecureElement) => Promise<unknown>>> = {
  refresh: (element) => element.refresh(),
  verifyPin: (element) => element.verifyPin("1234"),
  sign: (element) => sign(element),
  lastSigned: (element) => element.lastSigned(UID),
  amountStatus: (element) => element.amountStatus(),
  pinTriesLeft: (element) => element.pinTriesLeft(),
  taxAuthorityKey: (element) => element.taxAuthorityKey(),
  startAudit: (element) => element.startAudit(),
  endAudit: (element) => element.endAudit(new Uint8Array(256)),
  directive: (element) => element.directive(new Uint8Array(256)),
  keyCertificate: (element) => element.keyCertificate(UID),
  verifyKeyPin: (element) => element.verifyKeyPin(UID, "1234"),
  signWithKey: (element) => element.signWithKey(UID, undefined, Buffer.alloc(51, 1)),
};

const ODD: readonly Tamper[] = [
  ...["6F00", "6985", "6D00", "6E00", "6110"].map(statusWord),
  async (answer) => answer().then(() => Buffer.from("9000", "hex")),
  async (answer) => (await answer()).subarray(0, 3),
  async (answer) => (await answer()).map((byte) => byte ^ 0x5a),
];
const BROKEN: Tamper = async (answer) => answer().then(() => Promise.reject(new Error("the reader has had no answer")));

/** Garbles the first answer to an instruction during the operation. Returns the instructions, and the next sale. */
async function nextSale(operate: (typeof OPERATIONS)[string], instruction: number, garbled: Tamper) {
  const tampered = new TamperedReader();
  const card = makeCard({ uid: UID });
  tampered.reader.insert(card);
  const element = new ApduSecureElement(tampered.reader);
  await element.start();
  await element.verifyPin("1234");
  tampered.once(instruction, garbled);
  const before = tampered.asked.length;
  await operate(element);
  const asked = tampered.asked.slice(before);
  tampered.asItIs();
  const { state } = element;
  const isBelieved = state.kind === "ready" && state.pin === "verified";
  if (isBelieved && card.isPinVerified) return { asked, isBelieved, sale: "signed" };
  if (!isBelieved) await element.refresh();
  return { asked, isBelieved, sale: (await sign(element)).kind };
}

it.each(Object.entries(OPERATIONS))(
  "service and card agree on the PIN session after a garbled answer in %s",
  async (_, operate) => {
    const { asked } = await nextSale(operate, INS.version, (answer) => answer());
    for (const instruction of new Set(asked)) {
      for (const garbled of [...ODD, BROKEN]) {
        const name = `${instruction.toString(16)} ${ODD.indexOf(garbled)}`;
        const { isBelieved, sale } = await nextSale(operate, instruction, garbled);
        // Only a PIN whose answer is not known ends the PIN session.
        const mayEnd = !isBelieved && instruction === INS.verifyPin;
        expect(sale === "pin-required" && !mayEnd, name).toBe(false);
      }
    }
  },
);
