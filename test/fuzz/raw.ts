/** Bytes on a socket that no HTTP client would send. */
import { connect } from "node:net";
import type { Chance } from "../faults/chance.js";

/** ms; then the client closes a connection without an answer, such as after half a request. */
const PATIENCE_MS = 3_000;

const CRLF = "\r\n";
const HEAD = (path: string, ...lines: string[]) =>
  ["Host: localhost", ...lines, "", ""].reduce((all, line) => all + CRLF + line, `POST ${path} HTTP/1.1`);
const INVOICES = "/api/v3/invoices";

function pieces(chance: Chance): readonly (string | Uint8Array)[] {
  const garbage = chance.bytes(chance.between(1, 600));
  const body = '{"pin":"1234"}';
  const many = chance.between(1, 300);
  return chance.pick<readonly (string | Uint8Array)[]>([
    [garbage],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    [Buffer.from("1603010200010001fc0303", "hex"), garbage],
    ["GET /api/v3/status\r\n\r\n"],
    ["GET /api/v3/status HTTP/1.1\r\n\r\n"],
    ["GET /api/v3/status HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    [`GET /${"a".repeat(many * 80)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    [`GET /api/v3/status HTTP/1.1\r\nHost: localhost\r\n${"X: y\r\n".repeat(many * 10)}\r\n`],
    ["GET /api/v3/status HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"],
    ["GET /api/v3/status HTTP/1.1\r\nHost: localhost\r\nX\u0000Y: z\r\n\r\n"],
    ["GET http://evil.example/api/v3/status HTTP/1.1\r\nHost: evil.example\r\n\r\n"],
    ["GET /api/v3/attention HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(5)],
    [HEAD(INVOICES, "Content-Length: 5", "Transfer-Encoding: chunked"), "0\r\n\r\n"],
    [HEAD(INVOICES, "Content-Length: -5"), body],
    [HEAD(INVOICES, "Content-Length: 99999999999999999999"), body],
    [HEAD(INVOICES, `Content-Length: ${body.length + 50}`), body],
    [HEAD(INVOICES, "Content-Length: 3", "Content-Length: 4"), body],
    [HEAD(INVOICES, "Transfer-Encoding: chunked"), "zz\r\n", body],
    [HEAD(INVOICES, "Transfer-Encoding: chunked"), "ffffffffffffffff\r\n", body],
    [HEAD("/api/v3/pin", "Transfer-Encoding: chunked", "Content-Type: text/plain"), "4\r\n1234\r\n0\r\nX: y\r\n\r\n"],
    [HEAD("/api/v3/pin", "Transfer-Encoding: gzip, chunked"), "4\r\n1234\r\n0\r\n\r\n"],
    [HEAD("/api/v3/pin", "Expect: 100-continue", "Content-Length: 4"), "1234"],
    [HEAD("/api/v3/pin", "Expect: nonsense", "Content-Length: 4"), "1234"],
    [HEAD("/api/v3/pin", "Upgrade: websocket", "Connection: Upgrade", "Content-Length: 4"), "1234"],
    [HEAD("/api/v3/pin", " folded: header", "Content-Length: 4"), "1234"],
    ["CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    [`${"A".repeat(many)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ["\r\n\r\n\r\nGET /api/v3/attention HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"],
    ["GET /api/v3/status HTTP/1.1\nHost: localhost\n\n"],
  ]);
}

/** @returns everything received until the connection closed */
export function sendRaw(url: string, chance: Chance): Promise<{ readonly sent: string; readonly text: string }> {
  const { hostname, port } = new URL(url);
  const all = pieces(chance);
  const end = chance.oneIn(2);
  const sent = Buffer.concat(all.map((piece) => Buffer.from(piece))).toString("latin1");
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      for (const piece of all) socket.write(piece);
      if (end) socket.end();
    });
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    // The answer has begun, so the test has nothing more to send.
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (!end) socket.end();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ sent, text });
    });
  });
}
