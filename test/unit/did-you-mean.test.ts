/** A mistyped name is answered with the name that was probably meant. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { didYouMean } from "../../src/base/did-you-mean.js";

const NAMES = ["pin/card-locked", "pin/wrong-pin", "sale/advance", "noAnswer", "latency", "junit", "json"];

it.each([
  ["pin/card-loked", "; did you mean pin/card-locked?"],
  ["card-locked", "; did you mean pin/card-locked?"],
  ["noAnwser", "; did you mean noAnswer?"],
  ["LATENCY", "; did you mean latency?"],
  ["letensy", "; did you mean latency?"],
  ["jnuit", "; did you mean junit?"],
  ["quarterly", ""],
  ["", ""],
  ["x".repeat(10_000), ""],
])("didYouMean of %j says %j", (typed, expected) => {
  expect(didYouMean(typed, NAMES)).toBe(expected);
});

it("didYouMean lists all names that are equally close", () => {
  expect(didYouMean("pin-2", ["pin-1", "pin-3", "pan-99"])).toBe("; did you mean pin-1 or pin-3?");
});

it("didYouMean finds a name in which one letter was lost, doubled or replaced", () => {
  const name = fc.stringMatching(/^[a-z]{6,12}$/);
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom("", "twice", "#"), (meant, at, slip) => {
      const i = at % meant.length;
      const letter = slip === "twice" ? `${meant[i]}${meant[i]}` : slip;
      const typed = meant.slice(0, i) + letter + meant.slice(i + 1);
      expect(didYouMean(typed, [meant])).toBe(`; did you mean ${meant}?`);
    }),
  );
});
