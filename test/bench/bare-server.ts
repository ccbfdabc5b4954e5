/** Runs in its own process: bare node:http parses each JSON body and answers with the JSON of the first argument. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [given = ""] = process.argv.slice(2);
const answer: unknown = given === "" ? undefined : JSON.parse(given);
const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  request.once("end", () => {
    if (text !== "") JSON.parse(text);
    const body = answer === undefined ? "" : JSON.stringify(answer);
    response.setHeader("Content-Type", "application/json");
    response.setHeader("Content-Length", Buffer.byteLength(body));
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
