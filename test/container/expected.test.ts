/** In a container: a session that was recorded elsewhere, and what a POS must send. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { TillsealContainer } from "tillseal/testcontainers";
import { expect, it, onTestFinished } from "vitest";
import { serveProcess } from "../support/command.js";
import { engine } from "../support/container.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const EMULATOR = "tillseal:emulator";

const sell = (url: string, invoice: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v3/invoices`, {
    method: "POST",
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(invoice),
  });

it("the emulator in a container plays a session that was recorded on this machine, with every endpoint", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "day.yaml");
  const { url, process: emulator, exited } = await serveProcess(["--control-port", "0", "--record", file]);
  await fetch(`${url}/api/v3/attention`);
  await fetch(`${url}/api/v3/pin`, { method: "POST", body: "1234" });
  const { invoiceNumber } = (await (await sell(url, sale(), { RequestId: "order-1" })).json()) as {
    invoiceNumber: string;
  };
  await sell(url, { ...sale(), transactionType: "Refund", referentDocumentNumber: invoiceNumber });
  for (const path of ["status", "environment-parameters", "invoices/order-1", "invoices/order-2"]) {
    await fetch(`${url}/api/v3/${path}`);
  }
  await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  emulator.kill("SIGTERM");
  await exited;
  for (const place of [folder, file]) chmodSync(place, 0o755);
  const mounted = `${folder}:/recorded:ro`;
  const played = await engine("run", "--rm", "-v", mounted, EMULATOR, "scenario", "run", "/recorded/day.yaml");
  expect(played).toContain("1 passed, 0 failed");
});

it("the emulator in a container says what a POS has not sent yet, until it has", async () => {
  const till = await new TillsealContainer(EMULATOR).withScenario("pos/lost-answer").start();
  onTestFinished(async () => void (await till.stop()));
  expect(await till.unmet()).toHaveLength(1);
  await expect(sell(till.getUrl(), sale(), { RequestId: "order-1" })).rejects.toThrow("fetch failed");
  expect(await till.unmet()).toHaveLength(1);
  expect((await sell(till.getUrl(), sale(), { RequestId: "order-1" })).status).toBe(200);
  expect(await till.unmet()).toEqual([]);
});
