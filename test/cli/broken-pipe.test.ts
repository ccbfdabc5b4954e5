/** The reader of a command's output may close it, and the disk under it may be full. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { expect, it } from "vitest";
import { CLI, serveProcess } from "../support/command.js";
import { environmentWith, HAS_FULL_DEVICE } from "../support/environment.js";

async function ended(args: readonly string[], stdout: "closed" | number) {
  const stdio = ["ignore", stdout === "closed" ? "pipe" : stdout, "pipe"] as const;
  const child = spawn(process.execPath, [CLI, ...args], { stdio: [...stdio], env: environmentWith() });
  child.stdout?.destroy();
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, stderr };
}

it.each([["--help"], ["config"], ["sample invoice --count 1000"], ["scenario list"]])(
  "tillseal %s ends quietly when its output is closed",
  async (line) => {
    expect(await ended(line.split(" "), "closed")).toEqual({ status: 0, stderr: "" });
  },
);

it.runIf(HAS_FULL_DEVICE)("a command reports that there is no room for its output", async () => {
  const { status, stderr } = await ended(["config"], openSync("/dev/full", "w"));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^tillseal: cannot write the output: ENOSPC/)]);
});

it("the service sells on when its output and its log are closed", async () => {
  const { process: child, url } = await serveProcess(["--log-level", "debug"]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (const body of ["1234", "1234"]) await fetch(`${url}/api/v3/pin`, { method: "POST", body });
  const sold = await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  expect(sold.status).toBe(200);
});
