/** Every answer carries headers that stop a browser from sniffing, framing or embedding it, at every layer of the server. */
import { createEmulator } from "tillseal/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openControlled } from "../support/control.js";
import { dial, everything, parseAnswer } from "../support/raw.js";

const request = (line: string, ...headers: readonly string[]) =>
  `${line} HTTP/1.1\r\n${["Host: localhost", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;

/** Requests that never reach a handler. */
const malformed = (path: string): readonly (readonly [what: string, text: string])[] => [
  ["text that is not HTTP", "NOT HTTP AT ALL\r\n\r\n"],
  ["binary", "\0\x01\x02\r\n\r\n"],
  ["TLS", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"],
  ["CONNECT", "CONNECT other.example:80 HTTP/1.1\r\n\r\n"],
  ["an invalid address", request("GET http://[")],
  ["headers without end", request(`GET ${path}`, `X: ${"x".repeat(20_000)}`)],
  ["a header without a name", request(`GET ${path}`, ": value")],
  ["two lengths", request(`POST ${path}`, "Content-Length: 1", "Content-Length: 2")],
  ["an invalid length", request(`POST ${path}`, "Content-Length: -1")],
  ["a length and chunks", request(`POST ${path}`, "Content-Length: 1", "Transfer-Encoding: chunked")],
  ["an invalid chunk", `${request(`POST ${path}`, "Transfer-Encoding: chunked")}zz\r\n`],
  ["chunk extensions without end", `${request(`POST ${path}`, "Transfer-Encoding: chunked")}1;${"x".repeat(20_000)}`],
];

const WELL_FORMED: readonly (readonly [status: number, text: string])[] = [
  [404, request("GET /nowhere")],
  [404, request("GET /api/v3/invoices/never")],
  [405, request("DELETE /api/v3/pin")],
  [403, request("GET /api/v3/status", "Origin: https://evil.test")],
  [200, request("GET /api/v3/status")],
  [200, request("GET /api/v3/attention", "Expect: banana")],
  [200, request("GET /")],
  [200, request("GET /console/info")],
  [404, request("GET /console/assets/none.js")],
  [200, request("GET /openapi.json")],
  [400, request("GET /v/")],
  [204, request("OPTIONS /api/v3/pin", "Origin: http://localhost:5173", "Access-Control-Request-Method: POST")],
];

async function ask(url: string, text: string): Promise<ReturnType<typeof parseAnswer>> {
  const socket = await dial(url);
  const answer = everything(socket);
  socket.write(Buffer.from(text, "latin1"));
  return parseAnswer(await answer);
}

function expectSafe({ headers }: ReturnType<typeof parseAnswer>): void {
  expect(headers.has("x-powered-by")).toBe(false);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
}

it("an answer of the service has safe headers with any status", async () => {
  const { world } = await openControlled();
  for (const [status, text] of WELL_FORMED) {
    const answer = await ask(world.url, text);
    expect([text, answer.status]).toEqual([text, status]);
    expectSafe(answer);
  }
});

it("an answer of the service has safe headers when the request is malformed, with the error record", async () => {
  const { world } = await openControlled();
  for (const [what, text] of malformed("/api/v3/pin")) {
    const answer = await ask(world.url, text);
    expect([what, answer.status], what).toEqual([what, 400]);
    expect(JSON.parse(answer.body), what).toMatchObject({ code: expect.stringMatching(/^280[16]$/) });
    expectSafe(answer);
  }
});

it("an answer of the control interface to a malformed request is an error record with safe headers", async () => {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  const { controlUrl } = emulator;
  for (const [what, text] of malformed("/control/given")) {
    const answer = await ask(controlUrl, text);
    expect([what, answer.status]).toEqual([what, 400]);
    expect(JSON.parse(answer.body), what).toMatchObject({ message: expect.stringMatching(/\w{4}/), details: [] });
    expectSafe(answer);
  }
  expect((await fetch(`${controlUrl}/control/card`)).status).toBe(200);
});

it("an answer of the control interface has safe headers with any status", async () => {
  const { controlUrl } = await openControlled();
  for (const [status, text] of [
    [200, request("GET /control/card", "Expect: banana")],
    [204, request("DELETE /control/traffic")],
    [404, request("GET /nowhere")],
    [405, request("PUT /control/card")],
    [403, request("GET /control/card", "Sec-Fetch-Site: cross-site")],
    [400, `${request("POST /control/given", "Content-Length: 1")}{`],
  ] as const) {
    const answer = await ask(controlUrl, text);
    expect([text, answer.status]).toEqual([text, status]);
    expectSafe(answer);
  }
});
