/** Requests to unknown paths or without valid HTTP get an error record and leave the service running. */
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { dial } from "../support/raw.js";
import { expectRecord, openRefusingTill } from "../support/refusals.js";

it.each([
  // scenarios/refused/nowhere.yaml has the usual ones.
  ["POST", "/api/v3/%E0%A4%A", 404],
  ["PUT", "/api/v3/pin", 405],
  ["POST", "/api/v3/status", 405],
  ["PATCH", "/api/v3/environment-parameters", 405],
  ["POST", "/api/v3/attention", 405],
  ["GET", "/api/v3/test-invoice", 405],
  ["POST", "/api/v3/invoices/order-1", 405],
])("a request to nowhere is answered with a record: %s %s", async (method, path, status) => {
  const { call } = await openRefusingTill();
  const answer = await call(method, path);
  expectRecord(answer, status, { code: "2805", property: status === 405 ? "method" : "path" });
  if (status === 405) expect(answer.headers.allow).toMatch(/^(GET|POST|POST, GET)$/);
});

it.each([
  ["/api/v3/invoice", "; did you mean /api/v3/invoices?"],
  ["/api//v3/invoices", "; did you mean /api/v3/invoices?"],
  ["/api/invoices", "; did you mean /api/v3/invoices?"],
  ["/api/v2/status", "; did you mean /api/v3/status?"],
  ["/attention", "; did you mean /api/v3/attention?"],
  ["/api/v3/environment-parameter", "; did you mean /api/v3/environment-parameters?"],
  ["/0f8fad5b/api/v3/status", "; did you mean /api/v3/status?"],
  ["/api/v3", ""],
  ["/api/v3/pin/1234", ""],
  ["/elsewhere", ""],
])("a request to nowhere is answered with the nearest path: %s", async (path, nearest) => {
  const { call } = await openRefusingTill();
  const details = `There is nothing at this path; the interface is under /api/v3${nearest}`;
  expect((await call("GET", path)).json()).toMatchObject({ code: "2805", details });
});

it("a request to nowhere that asks for a tunnel and is then reset does not disturb others", async () => {
  const { url, call } = await openRefusingTill();
  for (let i = 0; i < 20; i++) {
    const socket = await dial(url);
    socket.write("CONNECT other.example:80 HTTP/1.1\r\n\r\n");
    await once(socket, "data");
    socket.resetAndDestroy();
  }
  expect((await call("GET", "/api/v3/attention")).status).toBe(200);
});

it("a request to nowhere does not hold back an earlier answer on its connection", async () => {
  const { url } = await openRefusingTill();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write("GET /api/v3/status HTTP/1.1\r\nHost: localhost\r\n\r\nGET http://[ HTTP/1.1\r\n\r\n"),
  );
  const answers = await text(socket);
  expect(answers).toMatch(/^HTTP\/1\.1 200 [\s\S]*"isPinRequired":[\s\S]*HTTP\/1\.1 400 [\s\S]*"code":"2806"/);
});

it("a request to nowhere is answered without a Host header", async () => {
  const { url } = await openRefusingTill();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write("GET /api/v3/attention HTTP/1.1\r\nConnection: close\r\n\r\n"),
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
});
