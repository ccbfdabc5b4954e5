import dns from "node:dns";
import { setImmediate as settled } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { sntpTime } from "../../src/state/sntp.js";

it("survives a name server that answers after the time server's time is over, as without internet", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const uncaught = vi.fn();
  process.on("uncaughtException", uncaught);
  let answer: ((error: Error) => void) | undefined;
  vi.spyOn(dns, "lookup").mockImplementation(((host: string, _: unknown, found: (...found: unknown[]) => void) => {
    if (host === "time.authority.test") answer = found;
    else found(null, host, 4);
  }) as never);
  onTestFinished(() => {
    process.off("uncaughtException", uncaught);
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  const asked = sntpTime("time.authority.test");
  await vi.waitFor(() => expect(answer).toBeDefined());
  vi.advanceTimersByTime(3_000);
  await expect(asked).rejects.toThrow("does not answer");
  answer?.(new Error("getaddrinfo EAI_AGAIN"));
  await settled();
  expect(uncaught).not.toHaveBeenCalled();
});
