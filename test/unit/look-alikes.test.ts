import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lookAlike } from "../../src/fiscal/look-alikes.js";

describe("a label in the wrong script", () => {
  it("is explained with the script and the code point of both letters", () => {
    expect(lookAlike("E", ["Ђ", "Е", "Г"])).toBe("Latin E (U+0045); this environment has Cyrillic Е (U+0415)");
    expect(lookAlike("А", ["A", "B"])).toBe("Cyrillic А (U+0410); this environment has Latin A (U+0041)");
    expect(lookAlike("АБE", ["AБЕ"])).toBe(
      "Cyrillic А (U+0410), Latin E (U+0045); this environment has Latin A (U+0041), Cyrillic Е (U+0415)",
    );
  });

  it("is not explained if no label looks the same", () => {
    expect(lookAlike("Q", ["A", "Б"])).toBeUndefined();
    expect(lookAlike("E", ["EE", "AE"])).toBeUndefined();
  });

  it("never throws, and only names a label that differs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.string({ unit: "binary" })), (label, known) => {
        const message = lookAlike(label, [...known, label]);
        if (message !== undefined) expect(message).toMatch(/^\S.* \(U\+[0-9A-F]{4,6}\); this environment has /u);
      }),
    );
  });
});
