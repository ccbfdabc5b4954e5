import { countryOf } from "../../../src/fiscal/countries/countries.js";
import type { RequiredField } from "../../../src/fiscal/countries/country.js";
import { noMistake, type Rule } from "../rule.js";
import type { SentInvoice, Session } from "../session.js";

function requiredIn({ country = "" }: Session): readonly RequiredField[] {
  return countryOf(country)?.requiredFields?.value ?? [];
}

function missingFrom({ cashier, items }: SentInvoice, field: RequiredField): string | undefined {
  if (field === "cashier") return cashier === undefined ? "cashier is missing" : undefined;
  const i = items.findIndex(({ gtin }) => gtin === undefined);
  return i < 0 ? undefined : `items[${i}].gtin is missing`;
}

export const REQUIRED_FIELDS: Rule = {
  id: "COUNTRY-FIELDS",
  text: "Every invoice has the fields that its country requires: a cashier in Fiji, Samoa and Vanuatu, a GTIN of each item in Republika Srpska.",
  source: "the vendor's manual of the interface",
  todo: "Sell once.",
  change: "Send the field cashier, or gtin of each item, with every invoice.",
  applies: (session) => requiredIn(session).length > 0,
  judge: (session) =>
    noMistake(
      session,
      ({ invoice }) =>
        requiredIn(session)
          .map((field) => missingFrom(invoice, field))
          .find((missing) => missing !== undefined),
      () => true,
    ),
};
