/** Tracks a server's connections, and which of them have a request that a stop of the service waits for. */
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isConsolePath } from "./endpoints.js";
import { LIMITS } from "./limits.js";

export const STREAM_TYPE = "text/event-stream";

/** Whether a whole request has arrived, and its client waits for an answer that ends. */
function isAnswering(unanswered: ServerResponse | undefined): boolean {
  return unanswered?.req.complete === true && unanswered.getHeader("Content-Type") !== STREAM_TYPE;
}

export class Connections {
  /** Open connections; the longest idle one comes first. */
  private readonly open = new Set<Socket>();
  /** Requests that have no whole answer yet, by connection. */
  private readonly unanswered = new Map<Socket, ServerResponse>();
  /** Connections with a request that a stop of the service waits for. */
  private readonly busy = new Set<Socket>();
  private readonly surplus = new WeakSet<Socket>();
  private closing = false;

  /** @param event reports the sockets of the server's requests */
  watch(server: Server, event: "connection" | "secureConnection"): void {
    server.on(event, (socket: Socket) => {
      if (this.open.size >= LIMITS.connections.value && !this.closeOldest()) this.surplus.add(socket);
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
  }

  begin(response: ServerResponse): void {
    const { socket } = response.req;
    this.used(socket);
    this.unanswered.set(socket, response);
    // A console reconnects by itself, and people can request an export again.
    if (!isConsolePath(response.req.url ?? "")) this.busy.add(socket);
    response.once("close", () => {
      this.unanswered.delete(socket);
      this.busy.delete(socket);
      this.used(socket);
      // While the service stops, end the connection instead of keeping it for the next sale.
      if (this.closing) socket.end();
    });
  }

  /** Whether the connection is within the limit of open connections. */
  admits(socket: Socket): boolean {
    return !this.surplus.has(socket);
  }

  /** Ends idle connections at once, and the others when their answer has been sent. */
  closeIdle(): void {
    this.closing = true;
    for (const socket of this.open) {
      if (this.busy.has(socket)) continue;
      // Data that the system has accepted is still sent. A client that reads no answer must not delay the stop.
      if (socket.writableLength === 0) socket.destroySoon();
      else socket.destroy();
    }
  }

  private used(socket: Socket): void {
    if (this.open.delete(socket)) this.open.add(socket);
  }

  /**
   * Closes the longest idle connection. A stream of events counts as idle, because its page connects again. If every
   * connection waits for an answer, closes the one that has waited the longest, so that clients that read slowly do not
   * keep others out. Never closes a connection with a complete request that a stop waits for.
   * @returns false if no connection may be closed
   */
  private closeOldest(): boolean {
    const connections = [...this.open];
    const oldest =
      connections.find((socket) => !isAnswering(this.unanswered.get(socket))) ??
      connections.find((socket) => !this.busy.has(socket));
    if (!oldest) return false;
    oldest.destroy();
    return this.open.delete(oldest);
  }
}
