import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmulator } from "tillseal/testkit";

test("a locked card answers 2110", async (t) => {
  const till = await createEmulator({ scenario: "pin/card-locked" });
  t.after(() => till.close());
  const answer = await fetch(`${till.url}/api/v3/pin`, { method: "POST", body: till.card.pin });
  assert.equal(await answer.text(), "2110");
});

test("many tills run side by side", async (t) => {
  const tills = await Promise.all(["a", "b", "c"].map((seed) => createEmulator({ seed })));
  t.after(() => Promise.all(tills.map((till) => till.close())));
  await fetch(`${tills[0].controlUrl}/control/do`, { method: "POST", body: '{"card":"remove"}' });
  const inserted = tills.map((till) => till.card.state.inserted);
  assert.deepEqual(inserted, [false, true, true]);
});
