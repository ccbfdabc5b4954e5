import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FrameReader, frame, VpcdLink } from "../../emulator/vpcd/vpcd-link.js";

const ATR = Uint8Array.of(0x3b, 0x00);

it("messages of the virtual reader are assembled from pieces of any size", () => {
  const short = [Uint8Array.of(4), Uint8Array.of(0, 0xa4, 4, 0), new Uint8Array(300)];
  const long = [...short, new Uint8Array(65_535)];
  for (const [messages, sizes] of [
    [short, [1, 2, 3, 7]],
    [long, [1_000, 100_000]],
  ] as const) {
    const stream = Buffer.concat(messages.map(frame));
    for (const size of sizes) {
      const frames = new FrameReader();
      const read: Uint8Array[] = [];
      for (let at = 0; at < stream.length; at += size) read.push(...frames.push(stream.subarray(at, at + size)));
      expect(read.map((message) => [...message])).toEqual(messages.map((message) => [...message]));
    }
  }
});

describe("the link to the virtual reader", () => {
  let server: Server;
  let port: number;
  let sockets: Socket[];
  let connected: () => Promise<Socket>;

  beforeEach(async () => {
    sockets = [];
    const waiting: ((socket: Socket) => void)[] = [];
    server = createServer((socket) => {
      socket.on("error", () => undefined);
      const next = waiting.shift();
      if (next) next(socket);
      else sockets.push(socket);
    });
    connected = () => {
      const socket = sockets.shift();
      return socket ? Promise.resolve(socket) : new Promise((resolve) => waiting.push(resolve));
    };
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => void server.close());

  const received = (socket: Socket) =>
    new Promise<number[]>((resolve) => socket.once("data", (bytes: Buffer) => resolve([...bytes])));

  async function inserted(transmit: (command: Uint8Array) => Promise<Uint8Array>) {
    let resets = 0;
    const card = { atr: ATR, reset: () => void resets++, transmit };
    const link = new VpcdLink(card, { port, retryDelayMs: 10 });
    onTestFinished(() => link.remove());
    await link.insert();
    return { link, socket: await connected(), resets: () => resets };
  }

  it("the link to the virtual reader answers the ATR and commands, and resets at each power control", async () => {
    const { socket, resets } = await inserted(async (command) => command.subarray(0, 2));
    const before = resets();
    for (const control of [0, 1, 2]) socket.write(frame(Uint8Array.of(control)));
    socket.write(frame(Uint8Array.of(4)));
    expect(await received(socket)).toEqual([0, 2, ...ATR]);
    expect(resets() - before).toBe(3);
    socket.write(frame(Uint8Array.of(0x90, 0x00, 1, 2)));
    expect(await received(socket)).toEqual([0, 2, 0x90, 0x00]);
  });

  it("the link to the virtual reader reconnects when the reader comes back, but not after the card was pulled out", async () => {
    const { link, socket } = await inserted(async (command) => command);
    socket.destroy();
    const again = await connected();
    const closed = new Promise((resolve) => again.once("close", resolve));
    await link.remove();
    await closed;
    await link.insert();
    await connected();
  });

  it("the link to the virtual reader disappears from the reader when the card fails", async () => {
    const { socket } = await inserted(async () => {
      throw new Error("broken chip");
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(frame(Uint8Array.of(1, 2, 3, 4)));
    await closed;
  });
});
