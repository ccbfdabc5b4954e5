/** Server-Sent Events: notify open consoles of changes; the consoles then fetch what they show. */
import type { RequestHandler, Response } from "express";

/** ms; proxies and phones drop idle connections. */
const HEARTBEAT_MS = 15_000;
/**
 * Minimum ms between two events: a busy till changes faster than a person can read, and each event costs a question to
 * the card.
 */
const QUIET_MS = 300;
/** Bytes that may wait for a console that does not read; then its connection is closed. */
const MOST_WAITING = 64 * 1024;
/** An event, not a comment: a page sees only events, and must notice when they stop. */
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
    this.heartbeat ??= setInterval(() => this.publish(ALIVE), HEARTBEAT_MS).unref();
  };

  /** Call this when card, store or settings have changed. */
  readonly changed = (): void => {
    if (this.open.size === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.publish(CHANGED);
    }, QUIET_MS).unref();
  };

  /** Ends every stream: a stopping service waits for its connections. */
  close(): void {
    this.closed = true;
    clearTimeout(this.pending);
    clearInterval(this.heartbeat);
    for (const response of this.open) response.end();
    this.open.clear();
  }

  private publish(text: string): void {
    for (const response of this.open) {
      if (response.writableLength > MOST_WAITING) response.destroy();
      else response.write(text);
    }
  }
}
