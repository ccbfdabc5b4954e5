/** A server of ours, with an app of a test. */
import type { RequestListener, Server } from "node:http";
import { onTestFinished } from "vitest";
import { Connections } from "../../src/http/connections.js";
import { closeAll, listen, urlOf } from "../../src/http/listen.js";
import { makeServer, type ServerRefusal } from "../../src/http/server.js";
import { testLog } from "./log.js";

export async function openServer(app: RequestListener): Promise<{ url: string; server: Server }> {
  const record = (refusal: ServerRefusal) => refusal;
  const server = makeServer({ app, record, connections: new Connections(), log: testLog() });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => closeAll([server]));
  return { url: urlOf(server) ?? "", server };
}
