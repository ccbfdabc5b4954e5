/** `npm start` in a checkout, as README.md starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { environmentWith } from "../support/environment.js";

const { killGroup } = (await import(
  pathToFileURL(join(PACKAGE_ROOT, "test", "support", "process-group.mjs")).href
)) as {
  killGroup(child: ChildProcess): void;
};

it("SIGTERM to npm start ends the service, not only the shell between them", async () => {
  const options = ["--port", "0", "--control-port", "0", "--no-authority"];
  const npm = spawn("npm", ["start", "--", ...options], {
    cwd: PACKAGE_ROOT,
    env: environmentWith(),
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => killGroup(npm));
  let output = "";
  npm.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  while (!output.includes("ready\n")) await once(npm.stdout, "data");
  const url = /listens on (http:\S+)\/api/.exec(output)?.[1] ?? "";
  expect((await fetch(`${url}/api/v3/attention`)).status).toBe(200);
  npm.kill("SIGTERM");
  // Every process that has the pipe has ended then.
  await once(npm.stdout, "close");
  await expect(fetch(`${url}/api/v3/attention`)).rejects.toThrow("fetch failed");
});
