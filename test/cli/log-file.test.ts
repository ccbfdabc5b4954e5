/** The built command logs to a file, and sales never wait for it. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { serveProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { callService } from "../support/till.js";

async function sold(url: string): Promise<string> {
  await callService(url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" });
  const answer = await callService(url, "POST", "/api/v3/test-invoice", { headers: { RequestId: "order-1" } });
  return answer.json<{ invoiceNumber: string }>().invoiceNumber;
}

const FLAGS = ["--log-level", "info", "--no-authority"];

it("the log file has a line for each request, and nothing goes to standard error", async () => {
  const file = join(temporaryFolder(), "till.log");
  const service = await serveProcess([...FLAGS, "--log-file", file]);
  const number = await sold(service.url);
  await vi.waitFor(() => {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const requests = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === "request");
    expect(requests).toEqual([
      expect.objectContaining({ path: "/api/v3/pin", code: "0100" }),
      expect.objectContaining({ path: "/api/v3/test-invoice", code: "0000", number, requestId: "order-1" }),
    ]);
  });
  expect(service.complaints()).toBe("");
});

it("the log file goes to standard error when the file cannot be written, and the till sells", async () => {
  const file = join(temporaryFolder(), "till.log");
  mkdirSync(file);
  const service = await serveProcess([...FLAGS, "--log-file", file]);
  expect(await sold(service.url)).toMatch(/^TESTCARD-TESTCARD-\d+$/);
  await vi.waitFor(() => expect(service.complaints()).toContain('"requestId":"order-1"'));
});
