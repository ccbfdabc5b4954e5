/** A stopping service waits for answers and for nothing else. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openTill, sale, type Till } from "../support/till.js";

async function connectTo(url: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A later request was answered, so what was written before has arrived. */
const arrived = (till: Till) => till.call("GET", "/api/v3/attention");

it.each([
  ["on which nothing was sent", ""],
  ["on which half a request was sent", "POST /api/v3/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Le"],
])("a connection %s does not delay the stop", async (_, sent) => {
  const till = await openTill();
  const socket = await connectTo(till.url);
  socket.write(sent);
  await arrived(till);
  const stopped = till.stop().then(() => "stopped");
  expect(await Promise.race([stopped, delay(5_000, "still there")])).toBe("stopped");
});

it("a stopping service sends an answer under way and closes its connection", async () => {
  const till = await openTill();
  const body = JSON.stringify(sale());
  const socket = await connectTo(till.url);
  const head = `POST /api/v3/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  const ended = once(socket, "close");
  socket.write(head);
  await arrived(till);
  const stopped = till.stop();
  socket.write(body);
  await Promise.all([stopped, ended]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(answer).toContain('"totalCounter":1');
});

it("a stopping service waits a limited time for a client that never finishes its request", async () => {
  const till = await openTill();
  const socket = await connectTo(till.url);
  socket.write("POST /api/v3/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
  await arrived(till);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = till.stop().then(() => "stopped");
  expect(await Promise.race([stopped, delay(200, "still there")])).toBe("still there");
  vi.advanceTimersByTime(20_000);
  expect(await stopped).toBe("stopped");
});
