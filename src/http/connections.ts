/** A server's connections: how many are open, and which have a request that is worth waiting for. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "./limits.js";

export class Connections {
  /** Open connections; the longest idle one comes first. */
  private readonly open = new Set<Socket>();
  /** Requests that a stop waits for. */
  private readonly busy = new Map<Socket, IncomingMessage>();
  private readonly surplus = new WeakSet<Socket>();
  private closing = false;

  /** @param event that gives the sockets of this server's requests */
  watch(server: Server, event: "connection" | "secureConnection"): void {
    server.on(event, (socket: Socket) => {
      if (this.open.size >= LIMITS.connections.value && !this.closeOldest()) this.surplus.add(socket);
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
  }

  /** @param matters whether the request is to be answered before its connection is closed */
  begin(request: IncomingMessage, response: ServerResponse, matters: boolean): void {
    const { socket } = request;
    this.used(socket);
    if (!matters) return;
    this.busy.set(socket, request);
    response.once("close", () => {
      this.busy.delete(socket);
      this.used(socket);
      // Do not keep the connection alive for the next sale.
      if (this.closing) socket.end();
    });
  }

  /** Whether there is room for this connection. */
  admits(socket: Socket): boolean {
    return !this.surplus.has(socket);
  }

  /** Ends idle connections at once, and the others when their answer has been sent. */
  closeIdle(): void {
    this.closing = true;
    for (const socket of this.open) {
      if (this.busy.has(socket)) continue;
      // Written data is still sent, but the stop does not wait for a client that does not read.
      if (socket.writableLength === 0) socket.destroySoon();
      else socket.destroy();
    }
  }

  private used(socket: Socket): void {
    if (this.open.delete(socket)) this.open.add(socket);
  }

  /** Closes the longest idle connection, never one with a complete request that a stop waits for. @returns false if there is none */
  private closeOldest(): boolean {
    for (const socket of this.open) {
      if (this.busy.get(socket)?.complete) continue;
      socket.destroy();
      return this.open.delete(socket);
    }
    return false;
  }
}
