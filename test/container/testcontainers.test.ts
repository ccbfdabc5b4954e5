import { TillsealContainer } from "tillseal/testcontainers";
import { afterAll, beforeAll, expect, test } from "vitest";

let till: Awaited<ReturnType<TillsealContainer["start"]>>;
beforeAll(async () => {
  till = await new TillsealContainer("tillseal:emulator").withScenario("pin/card-locked").start();
}, 60_000);
afterAll(() => till.stop());

test("the cashier sees 2110 with a locked card, and can sell when it is unlocked", async () => {
  const pin = async () => (await fetch(`${till.getUrl()}/api/v3/pin`, { method: "POST", body: "1234" })).text();
  expect(await pin()).toBe("2110");
  await fetch(`${till.getControlUrl()}/control/do`, { method: "POST", body: '{"card":{"patch":{"locked":false}}}' });
  expect(await pin()).toBe("0100");
});
