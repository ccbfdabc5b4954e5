/** Notifies open consoles of changes with Server-Sent Events. The consoles then fetch what they show. */
import type { Response } from "express";
import { STREAM_TYPE } from "../http/connections.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import { LIMITS } from "../http/limits.js";

/** ms between two heartbeats. Without them, a page takes a service that hangs for one that has nothing to say. */
const HEARTBEAT_MS = 5_000;
/**
 * Minimum ms between two events. A busy till changes faster than a person can read, and each event causes a request to
 * the card.
 */
const QUIET_MS = 300;
/**
 * Maximum number of bytes that may wait for a console that does not read. If more bytes wait, the connection is closed.
 */
const MOST_WAITING = 64 * 1024;
/** The heartbeat is an event and not a comment, because a page sees only events and must notice when they stop. */
const ALIVE = "event: alive\ndata:\n\n";
const CHANGED = "event: changed\ndata:\n\n";

export class ConsoleEvents {
  private readonly open = new Set<Response>();
  private heartbeat: NodeJS.Timeout | undefined;
  private pending: NodeJS.Timeout | undefined;
  private closed = false;

  readonly stream = ({ request: { method, socket }, response }: EndpointCall): void => {
    response.setHeader("Content-Type", STREAM_TYPE);
    response.setHeader("Connection", "close");
    if (this.closed || method === "HEAD") {
      response.end();
      return;
    }
    response.write(`retry: 250\n\n${CHANGED}`);
    const [oldest] = this.open;
    if (oldest && this.open.size >= LIMITS.streams.value) {
      this.open.delete(oldest);
      oldest.end();
    }
    this.open.add(response);
    response.on("error", () => this.open.delete(response));
    response.once("close", () => this.open.delete(response));
    // A page that was closed.
    socket.once("end", () => response.end());
    this.heartbeat ??= setInterval(() => this.publish(ALIVE), HEARTBEAT_MS).unref();
  };

  /** Notifies all open consoles that the card, the store or the settings have changed. */
  readonly changed = (): void => {
    if (this.open.size === 0) return;
    this.pending ??= setTimeout(() => {
      this.pending = undefined;
      this.publish(CHANGED);
    }, QUIET_MS).unref();
  };

  /** Ends every stream, because a service that stops waits until all its connections are closed. */
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
