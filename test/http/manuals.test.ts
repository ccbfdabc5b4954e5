/** The manuals in the console: one source, two scripts. */
import { expect, it } from "vitest";
import { openTill } from "../support/till.js";

const CYRILLIC = /\p{Script=Cyrillic}/u;

it.each(["user", "installation"])("the manual %s is in the console, in both scripts, loading nothing", async (name) => {
  const till = await openTill();
  const [cyrillic, latin] = await Promise.all(
    ["sr-Cyrl", "sr-Latn"].map((script) => till.call("GET", `/console/manuals/${name}.${script}.html`)),
  );
  expect([cyrillic?.status, latin?.status]).toEqual([200, 200]);
  expect(cyrillic?.text).toContain('<html lang="sr-Cyrl">');
  expect(cyrillic?.text).toMatch(CYRILLIC);
  expect(latin?.text).not.toMatch(CYRILLIC);
  expect(latin?.text).toMatch(/<h1>Uputstvo za /);
  const shape = (text = "") => text.match(/<(h\d|tr|li|pre|code)\b/g);
  expect(shape(latin?.text)).toEqual(shape(cyrillic?.text));
  expect(shape(latin?.text)?.length).toBeGreaterThan(30);
  expect(latin?.headers["content-security-policy"]).toContain("default-src 'none'");
  expect(latin?.text).not.toMatch(/<script|src=/);
});

it("a manual that does not exist is answered with 404", async () => {
  const till = await openTill();
  expect((await till.call("GET", "/console/manuals/..%2f..%2fpackage.json")).status).toBe(404);
  expect((await till.call("GET", "/console/manuals/cook.html")).status).toBe(404);
});
