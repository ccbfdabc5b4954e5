import { TillsealContainer } from "tillseal/testcontainers";
import { afterAll, beforeAll, expect, test } from "vitest";

let till: Awaited<ReturnType<TillsealContainer["start"]>>;
beforeAll(async () => {
  till = await new TillsealContainer("tillseal:emulator").withScenario("pin/card-locked").start();
}, 60_000);
afterAll(() => till.stop());

test("a locked card is told to the cashier, and a new one is taken", async () => {
  const pin = async () => (await fetch(`${till.getUrl()}/api/v3/pin`, { method: "POST", body: "1234" })).text();
  expect(await pin()).toBe("2110");
  await fetch(`${till.getControlUrl()}/control/card`, { method: "PATCH", body: '{"locked":false}' });
  expect(await pin()).toBe("0100");
});
