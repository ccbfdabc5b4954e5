import { expect, it } from "vitest";
import { startOrExplain } from "../../src/commands/start-or-explain.js";
import { explainPortRights } from "../../src/http/port-rights.js";

it("a port that the system refuses is reserved on Windows, and the message names the command that lists reserved ports", () => {
  expect(explainPortRights("win32")).toMatch(/reserved by Windows.*netsh int ipv4 show excludedportrange protocol=tcp/);
});

it("a port that the system refuses is a low one on other systems", () => {
  expect(explainPortRights("linux")).toContain("1024");
});

it("a port that the system refuses is explained when the service starts", async () => {
  const refused = Object.assign(new Error("listen EACCES"), { code: "EACCES", syscall: "listen" });
  await expect(startOrExplain(Promise.reject(refused), { port: 80, host: "localhost" })).rejects.toThrow(
    `port 80 ${explainPortRights()}`,
  );
});
