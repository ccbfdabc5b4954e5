import fc from "fast-check";
import { expect, it } from "vitest";
import { lookAlike, toldApart } from "../../src/fiscal/look-alikes.js";

it("labels in a list are shown with their scripts where two look the same", () => {
  const shown = (...labels: string[]) => labels.map(toldApart(labels));
  expect(shown("A", "А", "B")).toEqual(["A (Latin U+0041)", "А (Cyrillic U+0410)", "B"]);
  expect(shown("Α", "А")).toEqual(["Α (Greek U+0391)", "А (Cyrillic U+0410)"]);
  expect(shown("А1", "A1")).toEqual(["А1 (Cyrillic U+0410, U+0031)", "A1 (Latin U+0041, U+0031)"]);
  expect(shown("A", "A\u200B", "Ａ").map((text) => text.replace(/^.*\(/u, ""))).toEqual([
    "Latin U+0041)",
    "Latin U+0041, U+200B)",
    "Latin U+FF21)",
  ]);
  expect(shown("А", "Б", "Г", "N")).toEqual(["А", "Б", "Г", "N"]);
});

it("labels in a list are told apart if they are different, whatever letters they have", () => {
  const letter = fc.constantFrom(..."ABEОАВЕΑΒГΓ1é");
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: letter, minLength: 1, maxLength: 3 })), (labels) => {
      const texts = labels.map(toldApart(labels));
      // What a reader sees: look-alikes drawn as one letter, without the scripts that are named.
      const seen = texts.map((text) => text.replaceAll(/[АΑ]/g, "A").replaceAll(/[ВΒ]/g, "B").replaceAll("Е", "E"));
      expect(new Set(seen.map((text) => text.replaceAll("Γ", "Г"))).size).toBe(labels.length);
    }),
  );
});

it("a label in the wrong script is explained with the script and the code point of both letters", () => {
  const explained = (label: string, known: string[]) => lookAlike(label, known)?.map((letter) => letter.join(""));
  expect(explained("E", ["Ђ", "Е", "Г"])).toEqual(["Latin E (U+0045)", "Cyrillic Е (U+0415)"]);
  expect(explained("А", ["A", "B"])).toEqual(["Cyrillic А (U+0410)", "Latin A (U+0041)"]);
  // Of several letters, the first one.
  expect(explained("АБE", ["AБЕ"])).toEqual(["Cyrillic А (U+0410)", "Latin A (U+0041)"]);
});

it("a label in the wrong script is not explained if no label looks the same", () => {
  expect(lookAlike("Q", ["A", "Б"])).toBeUndefined();
  expect(lookAlike("E", ["EE", "AE"])).toBeUndefined();
});

it("a label in the wrong script never throws, and only names a label that differs", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.array(fc.string({ unit: "binary" })), (label, known) => {
      for (const [, letter] of lookAlike(label, [...known, label]) ?? []) {
        expect(letter).toMatch(/^.{1,2} \(U\+[0-9A-F]{4,6}\)$/su);
      }
    }),
  );
});
