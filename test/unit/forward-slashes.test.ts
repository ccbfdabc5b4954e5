import { expect, it } from "vitest";
import { forwardSlashes } from "../../src/forward-slashes.js";

it("names files on Windows as the docs do, and leaves names elsewhere, where a backslash is a letter", () => {
  expect(forwardSlashes("scenarios\\pin\\card-locked.yaml", "win32")).toBe("scenarios/pin/card-locked.yaml");
  expect(forwardSlashes("a\\b/c", "linux")).toBe("a\\b/c");
});
