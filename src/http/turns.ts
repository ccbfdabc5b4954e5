/**
 * Serves one request of a connection at a time. A client may send many requests without reading an answer (RFC 9112,
 * section 9.3.2), and Node gives all requests of one packet to the listener at once. Their answers would fill the
 * memory and keep other clients waiting.
 */
import type { EventEmitter } from "node:events";
import { type IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "./limits.js";

type Request = readonly [IncomingMessage, Parameters<RequestListener>[1]];

export class Turns {
  /** Requests that wait, by connection. Only connections with a request that is being answered are here. */
  private readonly waiting = new WeakMap<Socket, Request[]>();
  /** Connections whose answer waits to be sent; the longest waiting one comes first. */
  private readonly unsent = new Set<Socket>();

  /** @param failed answers a request whose events or whose listener failed */
  constructor(
    private readonly listener: RequestListener,
    private readonly failed: (error: unknown, ...request: Request) => void,
  ) {}

  readonly take: RequestListener = (request, response) => {
    const { socket } = request;
    const queue = this.waiting.get(socket);
    if (!queue) this.begin(socket, [request, response], []);
    else if (queue.length < LIMITS.waitingRequests.value) queue.push([request, response]);
    else socket.destroy();
  };

  private begin(socket: Socket, [request, response]: Request, queue: Request[]): void {
    this.waiting.set(socket, queue);
    response.write = watchedWrite;
    response.once("prefinish", () => this.watchSending(socket, response));
    // Begin the next request later, so that other connections get their turn first.
    response.once("close", () => setImmediate(() => this.next(socket, queue)));
    const failed = (error: unknown) => this.failed(error, request, response);
    catchEvents(request, failed);
    catchEvents(response, failed);
    try {
      this.listener(request, response);
    } catch (error) {
      failed(error);
    }
  }

  private next(socket: Socket, queue: Request[]): void {
    const next = socket.destroyed ? undefined : queue.shift();
    if (!next) {
      this.waiting.delete(socket);
      return;
    }
    // Remove the time limit for reading, which was for the previous answer.
    socket.setTimeout(0);
    this.begin(socket, next, queue);
  }

  private watchSending(socket: Socket, response: ServerResponse): void {
    if (socket.writableLength === 0) return;
    // After this time Node closes the connection. Node sets its own timeout when the whole answer is on its way.
    socket.setTimeout(LIMITS.readMs.value);
    this.unsent.add(socket);
    response.once("close", () => this.unsent.delete(socket));
    let bytes = 0;
    for (const { writableLength } of this.unsent) bytes += writableLength;
    for (const slow of this.unsent) {
      if (bytes <= LIMITS.unsentBytes.value || slow === socket) return;
      bytes -= slow.writableLength;
      this.unsent.delete(slow);
      slow.destroy();
    }
  }
}

/** Writes a part of an answer. When the connection takes no more, the time limit for reading begins. */
function watchedWrite(this: ServerResponse, ...values: unknown[]): boolean {
  const { socket, writableNeedDrain: isWaiting } = this;
  const isTaken = Boolean(Reflect.apply(ServerResponse.prototype.write, this, values));
  if (socket && this.writableNeedDrain && !isWaiting) {
    socket.setTimeout(LIMITS.readMs.value);
    this.once("drain", () => socket.setTimeout(0));
  }
  return isTaken;
}

/** Keeps what a listener throws, and an error without a listener, from the process, which either would end. */
function catchEvents(stream: EventEmitter, failed: (error: unknown) => void): void {
  const { emit } = stream;
  stream.emit = (...event: unknown[]): boolean => {
    try {
      return Boolean(Reflect.apply(emit, stream, event));
    } catch (error) {
      failed(error);
      return true;
    }
  };
}
