import fc from "fast-check";
import { expect, it } from "vitest";
import { asSupported, chooseLanguage } from "../../src/fiscal/language.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";

it("times are parsed in every form that POS programs send", () => {
  const expected = Date.UTC(2023, 5, 6, 11, 21, 15, 504);
  for (const text of [
    "2023-06-06T11:21:15.504Z",
    "2023-06-06T11:21:15.5042827Z",
    "2023-06-06T13:21:15.504+02:00",
    "2023-06-06T13:21:15.504+0200",
    "2023-06-06T13:21:15.504+02",
    "2023-06-06t11:21:15.504z",
    "2023-06-06T09:51:15.504-01:30",
    "2023-06-06T11:21:15.504",
  ]) {
    expect(parseTime(text), text).toBe(expected);
  }
  expect(parseTime("2023-06-06 11:21:15")).toBe(Date.UTC(2023, 5, 6, 11, 21, 15));
  expect(parseTime("2023-06-06T11:21:15.5Z")).toBe(Date.UTC(2023, 5, 6, 11, 21, 15, 500));
});

it("times are truncated to milliseconds, not rounded", () => {
  expect(parseTime("2023-06-06T11:21:15.5049999Z")).toBe(Date.UTC(2023, 5, 6, 11, 21, 15, 504));
});

it("times are refused when they do not exist", () => {
  for (const text of [
    "2023-02-29T00:00:00Z",
    "2023-13-01T00:00:00Z",
    "2023-00-10T00:00:00Z",
    "2023-06-31T00:00:00Z",
    "2023-06-06T24:00:00Z",
    "2023-06-06T11:60:00Z",
    "2023-06-06T11:21:15.12345678Z",
    "2023-06-06T11:21:15+25:00",
    "2023-06-06T11:21:15+2",
    "0000-06-06T11:21:15Z",
    "9999-12-31T23:59:59-14:00",
    "06.06.2023.",
    "now",
    "",
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
])("the language of an answer for %j is %s", (header, language) => {
  expect(chooseLanguage(header, asSupported(supported))).toBe(language);
});
