/** What must hold before the card is asked, even if the card itself would not refuse. */
import { expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { requireReadyToSign } from "../../src/fiscalizer/gates.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { makeCard } from "../support/emulated-card.js";
import { inForce, SANDBOX } from "../support/invoices.js";

const FROM = Date.UTC(2025, 0, 1);
const TO = Date.UTC(2027, 0, 1);

it.each([
  ["before it begins", FROM - 1, "2809"],
  ["in its first moment", FROM, undefined],
  ["in its last moment", TO, undefined],
  ["after its end", TO + 1, "2809"],
])("the service checks a sale against the dates of the certificate: %s", async (_, now, code) => {
  const reader = new EmulatedReader();
  const profile = { validFrom: new Date(FROM).toISOString(), validTo: new Date(TO).toISOString() };
  const card = makeCard(profile);
  reader.insert(card);
  const secureElement = new ApduSecureElement(reader);
  await secureElement.start();
  await secureElement.verifyPin(card.profile.pin);
  const passed = requireReadyToSign(secureElement, inForce(SANDBOX), { now: () => now });
  if (code === undefined) await expect(passed).resolves.toBe(SANDBOX);
  else await expect(passed).rejects.toMatchObject({ code });
});
