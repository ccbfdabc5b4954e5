/** Tables of many or long receipts leave the sales their turns. */
import { Readable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { each } from "../../src/console/sheets.js";
import type { StoredReceipt } from "../../src/ledger/receipts.js";

it("an export lets other work run between two lines of one receipt as soon as it has worked for long", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 7));
  onTestFinished(() => clock.mockRestore());
  let turns = 0;
  const turn = () => {
    turns++;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  onTestFinished(() => clearImmediate(timer));
  const lines = Array.from({ length: 40 }, (_, line) => line);
  const seen: unknown[] = [];
  for await (const line of each(
    () => lines,
    () => [],
  )(Readable.from([[{ intact: true } as StoredReceipt]])))
    seen.push(line);
  expect(seen).toEqual(lines);
  expect(turns).toBeGreaterThan(15);
});
