/** What a POS is advised while a sale is in doubt: the way that settles it, for each way. */
import { expect, it } from "vitest";
import type { WayOut } from "../../src/fiscalizer/protocol/way-out.js";
import { replyError } from "../../src/fiscalizer/replies.js";

const READY = { kind: "unreachable", reason: "", why: { code: "reading" } } as const;
const BY = { id: 1, requestId: "order-1" } as never;

const ADVICE: Record<WayOut, { readonly says: string; readonly not: string }> = {
  pin: { says: "verify the PIN again", not: "Training" },
  card: { says: "put in the card", not: "Training" },
  training: { says: "post one Training receipt", not: "PIN" },
  person: { says: "decide with tillseal incidents decide", not: "PIN" },
};

it.each(Object.entries(ADVICE))("a sale that another blocks is refused with the way out: %s", (way, { says, not }) => {
  const error = replyError({ kind: "blocked", by: BY, wayOut: way as WayOut }, READY, true) as Error;
  expect(error.message).toContain(says);
  expect(error.message).not.toContain(not);
});

it("a sale in doubt that its card cannot settle is left to a person", () => {
  const reply = { kind: "in-doubt", reason: "no answer", wayOut: "person" } as const;
  expect((replyError(reply, READY, true) as Error).message).toContain("tillseal incidents decide");
});
