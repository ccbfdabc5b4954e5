import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { COUNTRIES, countryOf } from "../../src/fiscal/countries/countries.js";
import { COUNTRY_FACTS, unknownFacts, unprovenFacts } from "../../src/fiscal/countries/country.js";
import { proofOf } from "../../src/fiscal/countries/proof.js";
import { receiptFormOf } from "../../src/fiscal/receipt-form.js";
import { isTimeZone } from "../../src/fiscal/zoned.js";

const PROTOCOL = readFileSync(join(PACKAGE_ROOT, "docs", "protocol.md"), "utf8");
const SECTION = /^## 11\. Countries$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(PROTOCOL)?.[1] ?? "";

/** The text below a heading of the section. */
function textBelow(heading: string): string {
  return SECTION.split(`### ${heading}\n`)[1]?.split("\n### ")[0] ?? "";
}

const ALL = Object.values(COUNTRIES);
const FACTS = ALL.flatMap((country) =>
  COUNTRY_FACTS.flatMap((name) => {
    const fact = country[name];
    return fact ? [{ id: country.id, name, fact }] : [];
  }),
);

it("proof names the values that are used without one, and those that are not known", () => {
  expect(proofOf("RS")).toEqual({ proven: true, text: "Serbia: every value has a source" });
  const fiji = proofOf("FJ");
  expect(fiji.proven).toBe(false);
  expect(fiji.text).toContain("unproven: country code (FJ), days until receipts must reach the authority (5)");
  expect(fiji.text).toContain("not known: form of the TIN, maker codes");
  expect(proofOf("XX")).toMatchObject({ proven: false, text: expect.stringContaining("knows nothing about XX") });
});

it.each(FACTS)(
  "countries $id: the source of $name is a heading of the protocol facts, and its text has the grade",
  ({ fact: { grade, source } }) => {
    expect(textBelow(source)).toContain(`(${grade})`);
  },
);

it("countries of Serbia are complete, and nothing in them is unproven", () => {
  expect(unknownFacts(COUNTRIES.rs)).toEqual([]);
  expect(unprovenFacts(COUNTRIES.rs)).toEqual([]);
});

it("countries name what is unproven or unknown in the others", () => {
  expect(unprovenFacts(COUNTRIES["ba-rs"])).toEqual(["code", "receiptDays"]);
  expect(unprovenFacts(COUNTRIES.fj)).toContain("columns");
  expect(unknownFacts(COUNTRIES.ws)).toContain("receiptDays");
});

it("countries have time zones that the runtime knows", () => {
  expect(ALL.filter(({ timeZone }) => !isTimeZone(timeZone.value))).toEqual([]);
});

it("countries are found by the letters of a certificate, in any case", () => {
  expect(countryOf("RS")?.id).toBe("rs");
  expect(countryOf(" ba")?.id).toBe("ba-rs");
  expect(countryOf("XX")).toBeUndefined();
});

it("countries form receipts, unless the setting has another form of numbers", () => {
  expect(receiptFormOf("RS", undefined)).toBeUndefined();
  expect(receiptFormOf("BA", undefined)).toEqual({ columns: 38 });
  expect(receiptFormOf("FJ", undefined)).toBeUndefined();
  expect(receiptFormOf("RS", "point")).toEqual({ columns: 40, numberForm: "point" });
  expect(receiptFormOf("XX", undefined)).toBeUndefined();
});
