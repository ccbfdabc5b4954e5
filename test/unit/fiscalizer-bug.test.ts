/** What the service does with an error of its own while it runs the effects of the protocol. */
import { expect, it } from "vitest";
import { Fiscalizer } from "../../src/fiscalizer/fiscalizer.js";

const BUG = new Error("a bug in the service");

/** Resolves with the next rejection that ends a process, as if the process had no other listener. */
function fatalRejection(): Promise<unknown> {
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  return new Promise((resolve) => {
    process.once("unhandledRejection", (error) => {
      for (const listener of others) process.on("unhandledRejection", listener);
      resolve(error);
    });
  });
}

it("an error of the service itself is in the log before it ends the process", async () => {
  const logged: unknown[] = [];
  const state = { kind: "ready", pin: "verified", session: 1, identity: { uid: "TESTCARD" } };
  const note = () => {
    throw BUG;
  };
  const log = { fatal: (facts: unknown) => logged.push(facts) };
  // The store's first question fails, because there is no store; noting this failure fails too.
  const fiscalizer = new Fiscalizer({ secureElement: { state }, health: { note }, log } as never);
  const ended = fatalRejection();
  void fiscalizer.recover();
  expect(await ended).toBe(BUG);
  expect(logged).toEqual([{ err: BUG }]);
});
