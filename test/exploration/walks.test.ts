/** Single ways through the protocol of a sale, step by step. */
import { expect, it } from "vitest";
import { A, AMOUNTS, B, LAST } from "./configurations.js";
import { walked } from "./model.js";

it("the sale's protocol, step by step does not ask a card for its last invoice again in the same session", () => {
  const world = { ...LAST, name: "", tills: [A, B], may: { posts: [1, 1] } };
  expect(walked(world, ["POS A posts order-1", "the answer of order-1 is stored", "POS B posts order-2"])).toEqual([
    "POS A posts order-1",
    "the intent of order-1 is written",
    "the card signs order-1 as 1",
    "the answer of order-1 is stored",
    "POS B posts order-2",
    "the intent of order-2 is written",
    "the card signs order-2 as 2",
    "the answer of order-2 is stored",
  ]);
});

it("the sale's protocol, step by step compares card and ledger before the next sale when the card has answered nonsense", () => {
  const may = { posts: [1], strangers: 1, cardFaults: 1 };
  const way = walked({ ...LAST, name: "", tills: [A], may, locked: true }, [
    "another program signs an invoice on the card",
    "the right PIN is entered",
    "the card answers nonsense",
    "POS A posts order-1",
  ]);
  expect(way.slice(4)).toEqual([
    "the card repeats invoice 1",
    'invoice 1 is adopted, "behind 1 to 1" is reported',
    "the intent of order-1 is written",
    "the card signs order-1 as 2",
    "the answer of order-1 is stored",
  ]);
});

it("the sale's protocol, step by step frees the RequestId when the sum is unchanged, once two sales in a row have shown that their kind counts", () => {
  const tills = [A, B, { ...B, requestId: "order-3" }];
  const way = walked({ ...AMOUNTS, name: "", tills, may: { posts: [1, 1, 1], cardFaults: 1 } }, [
    "POS A posts order-1",
    "the answer of order-1 is stored",
    "POS B posts order-2",
    "the answer of order-2 is stored",
    "POS C posts order-3",
    "the card breaks off before it signs order-3",
  ]);
  expect(way.at(-1)).toBe("order-3 is withdrawn");
});

it("the sale's protocol, step by step takes an audit from its start to its end when card and ledger agree", () => {
  const may = { posts: [1], audits: 1, proofs: 1 };
  const way = walked({ ...LAST, name: "", tills: [A], may }, ["an audit begins", "the proof of audit comes"]);
  expect(way).toEqual([
    "an audit begins",
    "the card starts an audit",
    "the audit is stored",
    "the proof of audit comes",
    "the ledger knows that a proof is put to the card",
    "the card takes the proof",
    "the audit is stored as ended",
  ]);
});

it("the sale's protocol, step by step reports a second card with the same UID also if it answers nonsense", () => {
  const may = { posts: [1, 1], swaps: 1, cardFaults: 1 };
  const way = walked({ ...LAST, name: "", tills: [A, B], others: ["twin"], may }, [
    "POS A posts order-1",
    "the answer of order-1 is stored",
    "a second card with the same UID is inserted instead",
    "the right PIN is entered",
    "the card answers nonsense",
  ]);
  expect(way.slice(4)).toEqual([
    "a second card with the same UID is inserted instead",
    "the right PIN is entered",
    "the card answers nonsense",
    '"swapped 1 to ?" is reported',
  ]);
});
