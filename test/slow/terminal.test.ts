/** Commands on a real terminal, a pty of `script` from util-linux, and outputs that end early. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { serve, serveProcess, tillseal } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS } from "../support/sale.js";
import { callService } from "../support/till.js";

const UID = "TESTCARD";
const END_OF_INPUT = "\u0004";
const INTERRUPT = "\u0003";

/** @param answers typed one by one, each when a question waits */
function onTerminal(args: readonly string[], ...answers: string[]): Promise<{ status: number | null; text: string }> {
  const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env: environmentWith() });
  return new Promise((resolve, reject) => {
    let text = "";
    let asked = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const questions = text.split("[y/N] ").length - 1;
      for (; asked < questions; asked++) child.stdin.write(answers.shift() ?? "");
    });
    child.once("error", reject);
    child.once("exit", (status) => resolve({ status, text: text.replaceAll("\r", "") }));
  });
}

it("a command asks on a terminal, and does nothing without a yes", async () => {
  const [dataDir, stick] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(stick, UID));
  const { url } = await serve(["--data-dir", dataDir, "--no-authority", "--environment", "none"]);
  await fetch(`${url}/api/v3/pin`, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify({ pin: "1234" }) });
  const write = (...commands: (readonly [commandId: string, type: number, payload: string])[]) => {
    const sent = commands.map(([commandId, type, payload]) => ({ commandId, type, payload, uid: UID }));
    writeFileSync(join(stick, UID, `${UID}.commands`), JSON.stringify(sent));
  };
  const { parameters, taxRates } = sentEnvironment();
  const json = (value: unknown) => JSON.stringify(value);
  write(["rates", COMMAND_TYPE.taxRates, json(taxRates)], ["all", COMMAND_TYPE.configuration, json(parameters)]);
  const place = ["--data-dir", dataDir];
  expect((await tillseal(["audit", "import", stick, "--yes", ...place])).status).toBe(0);

  write(["root", COMMAND_TYPE.verificationUrl, "https://other.test/v/?vl="]);
  const line = `root: ${parameters.endpoints.root} -> https://other.test/v/?vl=`;
  for (const answer of ["n\r", "\r", END_OF_INPUT, INTERRUPT]) {
    const { status, text } = await onTerminal(["audit", "import", stick, ...place], answer);
    expect([answer, status, text], answer).toEqual([answer, 1, expect.stringContaining(line)]);
    expect(text, answer).toMatch(/1 command not executed\n$/);
  }
  const yes = await onTerminal(["audit", "confirm", ...place], "y\r", "y\r");
  expect([yes.status, yes.text]).toEqual([0, expect.stringMatching(/tax authority given you this file[^\n]*y\n/)]);
  expect(yes.text).toMatch(/Confirmed\.\n$/);
  const seen = await onTerminal(["audit", "confirm", ...place], "YES\r");
  expect([seen.status, seen.text]).toEqual([0, expect.stringContaining("Have you compared")]);
  expect((await tillseal(["audit", "confirm", ...place])).stdout).toBe("There is nothing to confirm.\n");

  const copy = join(stick, "copy.db");
  expect((await tillseal(["backup", copy, ...place])).status).toBe(0);
  for (const [answer, outcome] of [
    ["y\r", /^(?![\s\S]*do not apply yet)/],
    ["n\r", /do not apply yet\. Say yes to them/],
  ] as const) {
    const restored = await onTerminal(["restore", copy, "--data-dir", temporaryFolder()], answer);
    expect([restored.status, restored.text]).toEqual([0, expect.stringMatching(outcome)]);
    expect(restored.text).toContain("root: nothing -> https://other.test/v/?vl=\n");
  }
}, 120_000);

async function endedClosed(args: readonly string[]) {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "pipe"], env: environmentWith() });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, stderr };
}

it.each([["--help"], ["config"], ["sample invoice --count 1000"], ["scenario list"]])(
  "tillseal %s ends quietly when its output is closed",
  async (line) => {
    expect(await endedClosed(line.split(" "))).toEqual({ status: 0, stderr: "" });
  },
);

it("the service sells on when its output and its log are closed", async () => {
  const { process: child, url } = await serveProcess(["--log-level", "debug"]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (const body of ["1234", "1234"]) await fetch(`${url}/api/v3/pin`, { method: "POST", body });
  const sold = await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  expect(sold.status).toBe(200);
});

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
