/** Raw TCP, for what no HTTP client would send. */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { HALF_CLOSE_MS } from "../../src/http/server.js";

/** Waits until the end of a client's side no longer says only that its request is complete. */
export function untilEndMeansGivingUp(): Promise<void> {
  return delay(HALF_CLOSE_MS + 50);
}

export function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once("error", reject);
    onTestFinished(() => void socket.destroy());
  });
}

/** Sends bytes and reads until the other side closes the connection. */
export async function exchange(url: string, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = await dial(url);
  for (const piece of pieces) socket.write(piece);
  return everything(socket);
}

/** Everything that still arrives until the connection closes. */
export function everything(socket: Socket): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    // A reset connection keeps what arrived before.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(text));
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Parses the last answer in the received text. */
export function parseAnswer(text: string): RawAnswer {
  const last = text.slice(text.lastIndexOf("HTTP/1.1 "));
  const [head = "", ...rest] = last.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = lines.map(
    (line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*:\s*/, "")] as const,
  );
  return { status: Number(first.split(" ")[1]), headers: new Map(headers), body: rest.join("\r\n\r\n") };
}
