import fc from "fast-check";
import { expect, it } from "vitest";
import { asSupported, chooseLanguage } from "../../src/fiscal/language.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";

it("times are parsed with their offset, and are UTC without one", () => {
  const expected = Date.UTC(2023, 5, 6, 11, 21, 15, 504);
  for (const text of [
    "2023-06-06T11:21:15.504Z",
    "2023-06-06T11:21:15.5049999",
    "2023-06-06T13:21:15.504+02",
    "2023-06-06 09:51:15.504-01:30",
  ]) {
    expect(parseTime(text), text).toBe(expected);
  }
});

it("times are refused in the forms that only a POS has, and beyond four digits of the year", () => {
  for (const text of [
    "2023/06/06T11:21:15Z",
    "2023-06-06T11:21:15.12345678Z",
    "2023-02-29T00:00:00Z",
    "0000-06-06T11:21:15Z",
    "9999-12-31T23:59:59-14:00",
    "now",
  ]) {
    expect(parseTime(text), text).toBeUndefined();
  }
});

it("times are parsed back to what was written", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => parseTime(toIso(ms)) === ms));
});

const supported = ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"] as const;

it.each([
  [undefined, "sr-Cyrl-RS"],
  ["", "sr-Cyrl-RS"],
  ["en-US", "en-US"],
  ["EN-us", "en-US"],
  ["sr-Latn-RS;en-US", "sr-Latn-RS"],
  ["de-DE;en-US;sr-Cyrl-RS", "en-US"],
  ["de-DE,en-US;q=0.5,sr-Latn-RS;q=0.8", "sr-Latn-RS"],
  ["en-US;q=0, sr-Latn-RS", "sr-Latn-RS"],
  ["sr", "sr-Cyrl-RS"],
  ["sr-Latn", "sr-Latn-RS"],
  ["en", "en-US"],
  ["*", "sr-Cyrl-RS"],
  [" ; ,", "sr-Cyrl-RS"],
  ["sr-RS", "sr-Cyrl-RS"],
  ["en-GB", "en-US"],
  ["sr-RS;en-US", "sr-Cyrl-RS"],
  ["sr-Latn-ME", "sr-Latn-RS"],
  ["en-GB,sr;q=0.5", "en-US"],
  ["de-DE,sr-RS;q=0.5", "sr-Cyrl-RS"],
  ["de", undefined],
  ["s", undefined],
  ["q=1", undefined],
  ["sr_RS", "sr-Cyrl-RS"],
  ["en_US", "en-US"],
  ["sr-Cyrl-RS;q=0,*", "sr-Latn-RS"],
  ["sr;q=0,*", "en-US"],
  ["sr;q=0,sr-Latn", "sr-Latn-RS"],
  ["en;q=0,en", undefined],
])("the language of an answer for %j is %s", (header, language) => {
  expect(chooseLanguage(header, asSupported(supported))).toBe(language);
});
