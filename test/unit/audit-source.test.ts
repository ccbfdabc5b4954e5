/** What the audit commands need from the machine on which the service runs. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { UserError } from "../../src/base/user-error.js";
import { ofService } from "../../src/client/audit-source.js";

/** A service that answers each request with an empty record. @returns its URL */
async function service(): Promise<string> {
  const server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("reads audits also for a user who may not read the service's secret, and confirms and refuses nothing", async () => {
  const source = ofService({ url: await service(), headers: {} }, () => {
    throw new UserError("the folder belongs to another user");
  });
  const held = { uid: "TESTCARD", ids: [1], changes: [], asksTwice: false };
  expect([await source.read(), await source.toRead(), await source.start(false)]).toEqual([{}, {}, {}]);
  await expect(source.confirm(held)).rejects.toThrow("belongs to another user");
  await expect(source.refuse(held)).rejects.toThrow("belongs to another user");
});
