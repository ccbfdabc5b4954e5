/** Connections of a server: how many are open, and which of them have something under way that is worth waiting for. */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "./limits.js";

export class Connections {
  /** The one that has been idle for the longest first. */
  private readonly open = new Set<Socket>();
  /** Requests that are worth waiting for. */
  private readonly busy = new Map<Socket, IncomingMessage>();
  private readonly surplus = new WeakSet<Socket>();
  private closing = false;

  /** @param matters whether a request is to be answered before its connection is closed */
  watch(server: Server, matters: (request: IncomingMessage) => boolean): void {
    server.on("connection", (socket) => {
      if (this.open.size >= LIMITS.connections.value && !this.closeOldest()) this.surplus.add(socket);
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
    server.on("request", (request, response) => {
      const { socket } = request;
      this.used(socket);
      if (!matters(request)) return;
      this.busy.set(socket, request);
      response.once("close", () => {
        this.busy.delete(socket);
        this.used(socket);
        // It must not be kept alive for the next sale.
        if (this.closing) socket.end();
      });
    });
  }

  /** Whether a request of this connection may be served; otherwise it is one too many. */
  admits(socket: Socket): boolean {
    return !this.surplus.has(socket);
  }

  /** Ends idle connections at once, and the others when their answer has been sent. */
  closeIdle(): void {
    this.closing = true;
    for (const socket of this.open) {
      if (this.busy.has(socket)) continue;
      // What has been written is still sent, but a client that does not read is not waited for.
      if (socket.writableLength === 0) socket.destroySoon();
      else socket.destroy();
    }
  }

  private used(socket: Socket): void {
    if (this.open.delete(socket)) this.open.add(socket);
  }

  /** Never one whose request has arrived and waits for its answer. */
  private closeOldest(): boolean {
    for (const socket of this.open) {
      if (this.busy.get(socket)?.complete) continue;
      socket.destroy();
      return this.open.delete(socket);
    }
    return false;
  }
}
