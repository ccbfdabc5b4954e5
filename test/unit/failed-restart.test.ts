/** A real service that cannot start with changed settings goes on with the old ones: a shop never loses its till to a setting. */
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serveEmulator } from "../../harness/control/serve-emulator.js";
import { serveCard } from "../../src/commands/serve-card.js";
import { loadConfig } from "../../src/config/load.js";
import type { SettingsRecord } from "../../src/console/records/settings.js";
import { readOwner } from "../../src/ledger/owner.js";
import { temporaryFolder } from "../support/folder.js";

/** A port on which another program listens. */
async function busyPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function staysAtItsAddress(card: "pcsc" | "emulator", serve: typeof serveCard): Promise<void> {
  const dataDir = join(temporaryFolder(), "data");
  const host = "127.0.0.1";
  const flags = { card, dataDir, host, port: 0, controlPort: 0, authorityPort: 0 };
  let changed: { port?: number } = {};
  const restart = new EventEmitter<{ over: [url: string]; error: [unknown] }>();
  const running = await serve(loadConfig({ flags }), {
    load: () => loadConfig({ flags: { ...flags, ...changed } }),
    gaveUp: (error) => restart.emit("error", error),
    listens: (address) => restart.emit("over", address),
    stop: () => {},
  });
  onTestFinished(() => running.stop());
  const { url } = running;
  changed = { port: await busyPort() };
  const headers = { Authorization: `Bearer ${readOwner(dataDir)?.secret}` };
  const [answer, [address]] = await Promise.all([
    fetch(`${url}/console/restart`, { method: "POST", headers }),
    once(restart, "over"),
  ]);
  expect([answer.status, address]).toEqual([202, url]);
  const { failed } = (await (await fetch(`${url}/console/settings`)).json()) as SettingsRecord;
  expect([card, failed]).toEqual([card, expect.stringContaining(`port ${changed.port} is in use`)]);
}

// No card is needed: a service with an empty reader listens, too. Each restart waits some seconds for the port.
it("a restart stays at its address when another program uses the new port, with each kind of card", async () => {
  await Promise.all([staysAtItsAddress("pcsc", serveCard), staysAtItsAddress("emulator", serveEmulator)]);
});
