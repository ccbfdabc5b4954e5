import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { requireProof } from "../../harness/scenario/proof.js";

it("a service is proven to be the emulator whatever faults were set at the emulator before", async () => {
  const emulator = { hasFaults: true, time: "" };
  const server = createServer((_request, response) => {
    if (emulator.hasFaults) response.destroy();
    else response.end(JSON.stringify({ sdcDateTime: emulator.time }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const control = async (method: string, path: string, body?: unknown) => {
    expect([method, path]).toEqual(["POST", "/do"]);
    const { faults, clock } = body as { faults?: "clear"; clock?: { at: string } };
    if (faults === "clear") emulator.hasFaults = false;
    if (clock) emulator.time = clock.at;
  };
  await expect(requireProof(`http://127.0.0.1:${port}`, control as never)).resolves.toBeUndefined();
});
