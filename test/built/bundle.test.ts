/** What the bundle leaves out. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

it("the bundle does not import node:http, which loads the client behind fetch from Node 24 on", () => {
  const chunks = join(PACKAGE_ROOT, "dist", "chunks");
  const files = readdirSync(chunks).filter((name) => name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(3);
  const importing = files.filter((name) => /\bfrom "node:http"/.test(readFileSync(join(chunks, name), "utf8")));
  expect(importing).toEqual([]);
});
