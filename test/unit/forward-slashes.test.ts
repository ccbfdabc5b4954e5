import { expect, it } from "vitest";
import { forwardSlashes } from "../../src/base/forward-slashes.js";

it("tillseal writes file names on Windows as the docs do, and keeps backslashes elsewhere, where they are ordinary characters", () => {
  expect(forwardSlashes("scenarios\\pin\\card-locked.yaml", "win32")).toBe("scenarios/pin/card-locked.yaml");
  expect(forwardSlashes("a\\b/c", "linux")).toBe("a\\b/c");
});
