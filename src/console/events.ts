/** Server-Sent Events: tells open consoles that something has changed; they ask for what they show. */
import type { RequestHandler, Response } from "express";

/** ms; proxies and phones drop a connection on which nothing comes. */
const HEARTBEAT_MS = 15_000;
/** ms between two: a busy till changes faster than a person looks, and each costs the card a question. */
const QUIET_MS = 300;
const CHANGED = "event: changed\ndata:\n\n";

export class ConsoleEvents {
  private readonly open = new Set<Response>();
  private pending: NodeJS.Timeout | undefined;
  private closed = false;

  readonly stream: RequestHandler = (_request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store", Connection: "close" });
    if (this.closed) {
      response.end();
      return;
    }
    response.write(`retry: 1000\n\n${CHANGED}`);
    const heartbeat = setInterval(() => response.write(":\n\n"), HEARTBEAT_MS).unref();
    this.open.add(response);
    response.once("close", () => {
      clearInterval(heartbeat);
      this.open.delete(response);
    });
  };

  /** Card, store or settings are not what they were. */
  readonly changed = (): void => {
    if (this.open.size === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      for (const response of this.open) response.write(CHANGED);
    }, QUIET_MS).unref();
  };

  /** Ends every stream: a service that stops waits for its connections. */
  close(): void {
    this.closed = true;
    clearTimeout(this.pending);
    for (const response of this.open) response.end();
  }
}
