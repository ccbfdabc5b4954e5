/** What the built files load, in which order. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { makeCard } from "../support/emulated-card.js";

it("the bundle does not import node:http, which loads the client behind fetch from Node 24 on", () => {
  const chunks = join(PACKAGE_ROOT, "dist", "chunks");
  const files = readdirSync(chunks).filter((name) => name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(3);
  const importing = files.filter((name) => /\bfrom "node:http"/.test(readFileSync(join(chunks, name), "utf8")));
  expect(importing).toEqual([]);
});

it("a card's certificate that is read before anything uses TLS leaves TLS usable", () => {
  const program = `
    import { readCertificate } from "./dist/src/secure-element/certificate.js";
    readCertificate(Buffer.from(process.argv[1], "hex"));
    console.log(typeof (await import("node:tls")).createSecureContext);`;
  const { certificate } = makeCard();
  const args = ["--input-type=module", "--eval", program, Buffer.from(certificate).toString("hex")];
  expect(execFileSync(process.execPath, args, { cwd: PACKAGE_ROOT, encoding: "utf8" })).toBe("function\n");
});
