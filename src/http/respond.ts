/** Sends answers whose body is a JSON text or a plain text. */
import type { ServerResponse } from "node:http";

export function sendJsonText(response: ServerResponse, json: string): void {
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.end(json);
}

export function sendPlainText(response: ServerResponse, text: string): void {
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.end(text);
}
