/** A card that does not answer the question about its last invoice. */
import { expect, it } from "vitest";
import type { CardSession } from "../../src/secure-element/apdu/card-session.js";
import { LastInvoice } from "../../src/secure-element/apdu/last-invoice.js";
import { CardError } from "../../src/secure-element/card-reader.js";

it.each([
  [true, "odd"],
  [false, "no answer"],
])("a card is asked again after three unanswered questions only if none was sent: sent %s", async (sent, last) => {
  const lastInvoice = new LastInvoice();
  const exchange = () => Promise.reject(new CardError("no-answer", "the card does not answer", { sent }));
  const ask = () =>
    lastInvoice
      .ask({ exchange } as unknown as CardSession, async () => undefined)
      .then(({ kind }) => kind)
      .catch(() => "no answer");
  for (let question = 0; question < 3; question++) expect(await ask()).toBe("no answer");
  expect(await ask()).toBe(last);
});
