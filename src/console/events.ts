/** Server-Sent Events: tells open consoles that something has changed; they ask for what they show. */
import type { RequestHandler, Response } from "express";

/** ms; proxies and phones drop a connection on which nothing comes. */
const HEARTBEAT_MS = 15_000;
/** ms between two: a busy till changes faster than a person looks, and each costs the card a question. */
const QUIET_MS = 300;
/** Bytes that wait for a console which does not read; it is given up then. */
const MOST_WAITING = 64 * 1024;
/** Not a comment: a page hears only events, and must notice where none come any more. */
const ALIVE = "event: alive\ndata:\n\n";
const CHANGED = "event: changed\ndata:\n\n";

export class ConsoleEvents {
  private readonly open = new Set<Response>();
  private heartbeat: NodeJS.Timeout | undefined;
  private pending: NodeJS.Timeout | undefined;
  private closed = false;

  readonly stream: RequestHandler = ({ method }, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store", Connection: "close" });
    if (this.closed || method === "HEAD") {
      response.end();
      return;
    }
    response.write(`retry: 250\n\n${CHANGED}`);
    this.open.add(response);
    response.on("error", () => this.open.delete(response));
    response.once("close", () => this.open.delete(response));
    this.heartbeat ??= setInterval(() => this.tell(ALIVE), HEARTBEAT_MS).unref();
  };

  /** Card, store or settings are not what they were. */
  readonly changed = (): void => {
    if (this.open.size === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.tell(CHANGED);
    }, QUIET_MS).unref();
  };

  /** Ends every stream: a service that stops waits for its connections. */
  close(): void {
    this.closed = true;
    clearTimeout(this.pending);
    clearInterval(this.heartbeat);
    for (const response of this.open) response.end();
    this.open.clear();
  }

  private tell(text: string): void {
    for (const response of this.open) {
      if (response.writableLength > MOST_WAITING) response.destroy();
      else response.write(text);
    }
  }
}
