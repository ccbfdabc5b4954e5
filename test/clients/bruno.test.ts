/** The request collection matches the service. test/tools/run.mjs plays it with Bruno's command line. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { CONTROL_PREFIX } from "../../harness/scenario/remote.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { API_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";

const COLLECTION = join(PACKAGE_ROOT, "clients", "bruno");
const requests = readdirSync(COLLECTION, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".bru"))
  .map((file) => ({ file, text: readFileSync(join(COLLECTION, file), "utf8") }))
  .filter(({ text }) => text.includes("type: http"));

/** `POST {{service}}/api/v3/pin` */
const called = requests.map(({ text }) => {
  const [, method = "", url = ""] = /^(get|post|patch|put|delete) \{\n {2}url: ([^\s?]+)/m.exec(text) ?? [];
  return `${method.toUpperCase()} ${url}`;
});

/** Any value matches a named part of a path. */
const pattern = (base: string, { method, path }: { readonly method: string; readonly path: string }) =>
  new RegExp(`^${method} \\{\\{${base}\\}\\}${path.replace(/:\w+/g, "[^/]+")}$`);

const service = ENDPOINTS.map(({ method, path }) => pattern("service", { method, path: API_PREFIX + path }));
const control = CONTROL_ENDPOINTS.map(({ method, path }) =>
  pattern("control", { method, path: CONTROL_PREFIX + path }),
);

describe("the request collection", () => {
  it("has every endpoint of the service", () => {
    expect(service.filter((endpoint) => !called.some((request) => endpoint.test(request)))).toEqual([]);
  });

  it("calls only existing endpoints", () => {
    expect(called.length).toBeGreaterThan(40);
    const known = [...service, ...control];
    expect(called.filter((request) => !known.some((endpoint) => endpoint.test(request)))).toEqual([]);
  });

  it("checks the answer of every request", () => {
    expect(requests.filter(({ text }) => !/^(assert|tests) \{/m.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("needs the emulator only in the folder that says so", () => {
    const elsewhere = requests.filter(({ file, text }) => text.includes("{{control}}") && !file.startsWith("emulator"));
    expect(elsewhere).toEqual([]);
  });
});
