import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmulator } from "tillseal/testkit";

test("a locked card answers 2110", async (t) => {
  const till = await createEmulator({ scenario: "pin/card-locked" });
  t.after(() => till.close());
  const answer = await fetch(`${till.url}/api/v3/pin`, { method: "POST", body: till.card.pin });
  assert.equal(await answer.text(), "2110");
});
