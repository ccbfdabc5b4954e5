/** What cannot even be parsed as HTTP gets the error record too, where the connection still takes one. */
import type { Duplex } from "node:stream";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { errorRecord } from "./errors.js";

export function malformedRequest(_error: unknown, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorRecord(FiscalError.of("2806", "", "This is not an HTTP request that can be read")));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
