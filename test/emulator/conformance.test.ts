/** Exchanges that the interface's description does not allow are found and explained. */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { conformanceTo } from "../../harness/scenario/conformance.js";
import type { HttpAnswer, HttpRequest } from "../../harness/scenario/http-call.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, sale } from "../support/till.js";

const OPTIONS = { negativeItems: false, answerForm: "specification", requestIdLength: 32, maker: "ours" } as const;
const STATUS: HttpRequest = { method: "GET", path: "/api/v3/status", headers: {} };
const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8" },
  text: JSON.stringify(body),
});

async function statusRecord(): Promise<Record<string, unknown>> {
  const { call } = await openTill();
  return (await call("GET", "/api/v3/status")).json();
}

it("an exchange of the service itself has no fault", async () => {
  expect(conformanceTo(OPTIONS)(STATUS, json(200, await statusRecord()))).toEqual([]);
});

it.each([
  ["a field too few", { mssc: undefined }, ["mssc is missing"]],
  ["a field too many", { extra: 1 }, ["extra is not known"]],
  ["another type", { uid: 7 }, ["uid must be string"]],
  ["an unknown code", { gsc: ["9999"] }, [expect.stringMatching(/^gsc\[0\] is "9999"; .* It must be one of 1100, /)]],
])("an exchange with %s is faulty", async (_, change, faults) => {
  const record = { ...(await statusRecord()), ...change };
  expect(conformanceTo(OPTIONS)(STATUS, json(200, record))).toEqual(faults);
});

it("an exchange may have more fields when another maker's service answers", async () => {
  const record = { ...(await statusRecord()), extra: 1 };
  expect(conformanceTo({ ...OPTIONS, maker: "deployed" })(STATUS, json(200, record))).toEqual([]);
});

it.each([
  ["an undescribed status", STATUS, json(302, {}), "the answer 302 is not described for status"],
  [
    "another type of body",
    STATUS,
    { ...json(200, {}), headers: { "content-type": "text/html" } },
    "the answer 200 is text/html; described is application/json",
  ],
  ["an answer that is not JSON", STATUS, { ...json(200, {}), text: "<html>" }, "the answer 200 is not JSON"],
  [
    "a body for attention",
    { ...STATUS, path: "/api/v3/attention" },
    json(200, {}),
    "the answer 200 has a body; none is described",
  ],
  ["no error record for an unknown path", { ...STATUS, path: "/x" }, json(404, { error: "no" }), "code is missing"],
])("an exchange with %s is faulty", (_, request, answer, fault) => {
  expect(conformanceTo(OPTIONS)(request, answer)).toContain(fault);
});

it("an exchange is checked against the description with its request, in any spelling", async () => {
  const { sell } = await openTill();
  const answer = json(200, (await sell()).json());
  const asked = (body: object) => ({
    method: "POST",
    path: "/api/v3/invoices",
    headers: JSON_HEADERS,
    body: Buffer.from(JSON.stringify(body)),
  });
  expect(conformanceTo(OPTIONS)(asked({ ...sale(), invoiceType: undefined, INVOICETYPE: "0" }), answer)).toEqual([]);
  expect(conformanceTo(OPTIONS)(asked({ ...sale(), items: [] }), answer)).toEqual(["items must have at least 1 entry"]);
});

it("tillseal scenario run fails a step whose answer the description does not allow, even if the step expects nothing", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end("{}");
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const file = join(temporaryFolder(), "scenario.yaml");
  writeFileSync(file, "name: status\nsteps: [{ request: { method: GET, path: /api/v3/status } }]\n");
  const { status, stdout } = await tillseal(["scenario", "run", file, "--base-url", urlOf(server) ?? ""]);
  expect(status).toBe(1);
  expect(stdout).toContain("step 1: the exchange does not follow the OpenAPI document: isPinRequired is missing; ");
});
