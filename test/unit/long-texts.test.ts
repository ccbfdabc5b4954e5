/** Patterns that read what others send: a text that is made to be slow would hold every till of the machine for minutes. */
import { expect, it } from "vitest";
import { apiBase } from "../../src/authority/address.js";
import { bytesIn, PayloadError } from "../../src/authority/command-content.js";
import { maskedHeaders, maskedPath } from "../../src/http/traffic/mask.js";

/** Node refuses longer addresses and headers. */
const HEAD = 16_000;
/** What a stick or an authority may send. */
const LONG = 500_000;

it.each(["?", "?token", "&pass", "?a=", "/pin", "%3", "a:", "]:1"])("an address or header of %s is masked", (part) => {
  const text = `/${part.repeat(HEAD / part.length)}`;
  expect(maskedPath(text)).toHaveLength(text.length);
  expect(maskedHeaders("/", { host: text, referer: text })).toBeDefined();
});

it("a payload of spaces is refused at once", () => {
  expect(() => bytesIn(`A${" ".repeat(LONG)}!`)).toThrow(PayloadError);
  expect(bytesIn(`QUJD${" ".repeat(LONG)}\n`)).toEqual(Buffer.from("ABC"));
});

it("an address of slashes is read at once", () => {
  expect(apiBase(`https://a.test${"/".repeat(LONG)}x//`).pathname.endsWith("/x/api/v3/")).toBe(true);
});
