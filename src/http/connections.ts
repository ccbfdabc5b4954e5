/** Connections of a server, and which of them have something under way that is worth waiting for. */
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  private readonly open = new Set<Socket>();
  private readonly busy = new Set<Socket>();
  private closing = false;

  /** @param matters whether a request is to be answered before its connection is closed */
  watch(server: Server, matters: (request: IncomingMessage) => boolean): void {
    server.on("connection", (socket) => {
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
    server.on("request", (request, response) => {
      const { socket } = request;
      if (!matters(request)) return;
      this.busy.add(socket);
      response.once("close", () => {
        this.busy.delete(socket);
        // It must not be kept alive for the next sale.
        if (this.closing) socket.end();
      });
    });
  }

  /** Ends what nobody waits for an answer on, now and when its answer has been sent. */
  closeIdle(): void {
    this.closing = true;
    for (const socket of this.open) {
      if (this.busy.has(socket)) continue;
      // What has been written is still sent, but a client that does not read is not waited for.
      if (socket.writableLength === 0) socket.destroySoon();
      else socket.destroy();
    }
  }
}
