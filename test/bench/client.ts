/** A client that costs almost nothing: it prepares requests in advance and looks only for the end of an answer. */
import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: (\d+)/i;

export interface Sent {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function requestBytes(url: string, { method, path, body = "", headers = {} }: Sent): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(url).host}`];
  if (method === "POST") lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return Buffer.from(`${lines.join("\r\n")}${HEAD_END}${body}`);
}

/** One kept-alive connection with one request under way at a time. */
export class Connection {
  private room: { head: string; missing: number } | undefined;
  private done: (() => void) | undefined;
  private failed: ((error: Error) => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.take(chunk));
    socket.on("error", (error) => this.failed?.(error));
    socket.on("close", () => this.failed?.(new Error("the service closed the connection")));
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Rejects when the answer is a refusal. */
  send(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.room = undefined;
      this.done = resolve;
      this.failed = reject;
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.failed = undefined;
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.room ??= { head: "", missing: -1 };
    const { room } = this;
    if (room.missing < 0) {
      const before = Buffer.byteLength(room.head, "latin1");
      room.head += chunk.toString("latin1");
      const end = room.head.indexOf(HEAD_END);
      if (end < 0) return;
      const [status = ""] = room.head.split("\r\n");
      if (!/ 2\d\d /.test(status)) {
        this.failed?.(new Error(`the service answered ${room.head}`));
        return;
      }
      const length = Number(LENGTH.exec(room.head.slice(0, end))?.[1] ?? 0);
      room.missing = end + HEAD_END.length + length - before;
      room.head = "";
    }
    room.missing -= chunk.length;
    if (room.missing <= 0) this.done?.();
  }
}

/** Repeats one request on all connections for some ms. @returns how often */
export async function load(url: string, sent: Sent, connections: number, ms: number): Promise<number> {
  const bytes = requestBytes(url, sent);
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)));
  const end = performance.now() + ms;
  let count = 0;
  const sendOn = async (connection: Connection) => {
    while (performance.now() < end) {
      await connection.send(bytes);
      count++;
    }
  };
  await Promise.all(open.map(sendOn));
  for (const connection of open) connection.close();
  return count;
}

/** Sends a request `count` times. @returns ms of each */
export async function times(url: string, sent: Sent, count: number): Promise<number[]> {
  const connection = await Connection.open(url);
  const bytes = requestBytes(url, sent);
  const durations: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    await connection.send(bytes);
    durations.push(performance.now() - began);
  }
  connection.close();
  return durations;
}
