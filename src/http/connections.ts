/** Connections of a server, and which of them have something under way. */
import type { Server } from "node:http";
import type { Socket } from "node:net";

export class Connections {
  private readonly open = new Set<Socket>();
  private readonly busy = new Set<Socket>();
  private closing = false;

  watch(server: Server): void {
    server.on("connection", (socket) => {
      this.open.add(socket);
      socket.once("close", () => this.open.delete(socket));
    });
    server.on("request", ({ socket }, response) => {
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
    for (const socket of this.open) if (!this.busy.has(socket)) socket.destroy();
  }
}
