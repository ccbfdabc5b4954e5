/** No request makes the service exceed its memory limits (docs/security.md). Each service is a process, whose peak counts. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/http/limits.js";
import { serveProcess } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { peakMemory } from "../support/memory.js";
import { dial, everything, parseAnswer } from "../support/raw.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const MIB = 1024 * 1024;
const head = (length: number, path = "/api/v3/invoices") =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

async function send(socket: Socket, piece: string | Uint8Array): Promise<void> {
  if (!socket.write(piece)) await once(socket, "drain");
}

it("a body of 600 MiB is refused without being held in memory, recording or not, read or not", async () => {
  const file = join(temporaryFolder(), "session.yaml");
  const { url, process: service } = await serveProcess(["--control-port", "0", "--record", file]);
  await callService(url, "POST", "/api/v3/pin", { body: "1234" });
  const before = peakMemory(service.pid);
  for (const [path, expected] of [
    ["/api/v3/invoices", [400, "2801"]],
    ["/api/v3/nowhere", [404, "2805"]],
  ] as const) {
    const socket = await dial(url);
    const answered = everything(socket);
    await send(socket, head(600 * MIB, path));
    const piece = Buffer.alloc(MIB, " ");
    for (let sent = 0; sent < 600; sent++) await send(socket, piece);
    socket.end("GET /api/v3/attention HTTP/1.1\r\nConnection: close\r\n\r\n");
    const [answer = ""] = (await answered).split(/(?=HTTP\/1\.1 200 )/);
    const { status, body } = parseAnswer(answer);
    expect([status, JSON.parse(body).code]).toEqual(expected);
  }
  expect(peakMemory(service.pid) - before).toBeLessThan(150);
  const sold = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
  expect(sold.status).toBe(200);
  expect(readFileSync(file, "utf8").length).toBeLessThan(2 * MIB);
});

it("a body of 600 MiB is refused at the control interface", async () => {
  const { controlUrl, control } = await openControlled();
  const socket = await dial(controlUrl);
  const answered = everything(socket);
  await send(socket, head(20 * MIB, "/control/given").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  for (let sent = 0; sent < 20; sent++) await send(socket, Buffer.alloc(MIB, " "));
  expect(parseAnswer(await answered).status).toBe(400);
  expect((await control("GET", "/card")).status).toBe(200);
});

it("a body that comes in 200,000 pieces of one byte takes no more memory than the same body in one piece", async () => {
  const { url, process: service } = await serveProcess(["--control-port", "0"]);
  const before = peakMemory(service.pid);
  const sockets = await Promise.all(Array.from({ length: 10 }, () => dial(url)));
  const chunks = "1\r\nx\r\n".repeat(20_000);
  for (const socket of sockets) {
    socket.write("POST /api/v3/invoices HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (let i = 0; i < 10; i++) await send(socket, chunks);
  }
  await callService(url, "GET", "/api/v3/attention");
  expect(peakMemory(service.pid) - before).toBeLessThan(100);
});

it("500 bodies that stop in the middle take little memory while a till sells", async () => {
  const { url, process: service } = await serveProcess(["--control-port", "0"]);
  await callService(url, "POST", "/api/v3/pin", { body: "1234" });
  const before = peakMemory(service.pid);
  const almost = Buffer.alloc(MIB - 1, " ");
  const answers: Promise<string>[] = [];
  for (let i = 0; i < 500; i++) {
    const socket = await dial(url);
    answers.push(everything(socket));
    socket.write(head(MIB));
    socket.write(almost);
  }
  const sold = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
  expect(sold.status).toBe(200);
  expect(peakMemory(service.pid) - before).toBeLessThan(200);
  service.kill("SIGKILL");
  const refused = (await Promise.all(answers)).filter((answer) => answer !== "").map(parseAnswer);
  expect(refused.length).toBeGreaterThan(100);
  for (const { status, headers, body } of refused) {
    expect([status, headers.get("retry-after"), JSON.parse(body)]).toEqual([
      503,
      "1",
      expect.objectContaining({ code: "1999", details: LIMITS.arrivingBytes.sentence }),
    ]);
  }
});
