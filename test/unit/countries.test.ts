import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import {
  COUNTRIES,
  COUNTRY_FACT_NAMES,
  COUNTRY_FACTS,
  countryOf,
  receiptFormOf,
  unprovenOf,
} from "../../src/fiscal/countries.js";
import { isTimeZone } from "../../src/fiscal/zoned.js";

const PROTOCOL = readFileSync(join(PACKAGE_ROOT, "docs", "protocol.md"), "utf8");
const SECTION = /^## 11\. Countries$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(PROTOCOL)?.[1] ?? "";

/** The text below a heading of the section. */
function textBelow(heading: string): string {
  return SECTION.split(`### ${heading}\n`)[1]?.split("\n### ")[0] ?? "";
}

const FACTS = Object.entries(COUNTRIES).flatMap(([id, country]) =>
  COUNTRY_FACT_NAMES.flatMap((name) => {
    const fact = country[name];
    return fact ? [{ id, name, grade: fact.grade }] : [];
  }),
);

it.each(FACTS)("countries $id: the text below the heading of $name has the grade", ({ name, grade }) => {
  expect(textBelow(COUNTRY_FACTS[name].source)).toContain(`(${grade})`);
});

it("countries name what is unproven", () => {
  expect(unprovenOf("RS")).toEqual([]);
  expect(unprovenOf("BA")).toEqual(["code", "receiptDays"]);
  expect(unprovenOf("FJ")).toContain("columns");
  expect(unprovenOf("XX")).toEqual([]);
});

it("countries have time zones that the runtime knows", () => {
  expect(Object.values(COUNTRIES).filter(({ timeZone }) => !isTimeZone(timeZone.value))).toEqual([]);
});

it("countries are found by the letters of a certificate, in any case", () => {
  expect(countryOf("RS")?.name).toBe("Serbia");
  expect(countryOf(" ba")?.name).toBe("Republika Srpska");
  expect(countryOf("XX")).toBeUndefined();
});

it("countries form receipts, unless the setting has another form of numbers", () => {
  expect(receiptFormOf("RS", undefined)).toBeUndefined();
  expect(receiptFormOf("BA", undefined)).toEqual({ columns: 38 });
  expect(receiptFormOf("FJ", undefined)).toBeUndefined();
  expect(receiptFormOf("RS", "point")).toEqual({ columns: 40, numberForm: "point" });
  expect(receiptFormOf("XX", undefined)).toBeUndefined();
});
