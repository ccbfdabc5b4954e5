/** What never gets as far as a handler has the error record too, where the connection still takes one. */
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { errorRecord } from "./errors.js";

function body(why: string): string {
  return JSON.stringify(errorRecord(FiscalError.of("2806", "", why)));
}

/** Not HTTP, or CONNECT: there is no response to write to. */
export function malformedRequest(_error: unknown, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const text = body("This is not an HTTP request that can be read");
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

/** HTTP, but with an address that Express would answer with a page of its own. */
export function unreadableAddress(response: ServerResponse): void {
  const text = body("The address of the request cannot be read");
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  response.writeHead(400, { ...headers, Connection: "close" }).end(text);
}
