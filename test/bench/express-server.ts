/** Runs in its own process: Express reads each JSON body and always gives the answer of the first argument. */
import type { AddressInfo } from "node:net";
import express from "express";

const answer: unknown = JSON.parse(process.argv[2] ?? "null");
const app = express();
app.use(express.json());
app.post("/api/v3/invoices", (_request, response) => void response.json(answer));
const server = app.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
