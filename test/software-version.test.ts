/** softwareVersion in status consists of dotted numbers (docs/interface.md, "Status record"), without npm's suffix. */
import { expect, it } from "vitest";
import { dottedVersion } from "../src/base/package-root.js";

it.each([
  ["1.0.0", "1.0.0"],
  ["1.0.0-rc.1", "1.0.0"],
  ["12.3.45-alpha-2.x", "12.3.45"],
  ["1.2.3+build.5", "1.2.3"],
])("the version %s is reported as %s", (version, numbers) => {
  expect(dottedVersion(version)).toBe(numbers);
});
