/** Under load one commit stores an answer and the intent of the next sale (docs/decisions/0006-sales-in-doubt.md). */
import { expect, it } from "vitest";
import type { Change, Ledger } from "../../src/ledger/ledger.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { makeCard } from "../support/emulated-card.js";
import { SIGN, TamperedReader } from "../support/tampered-till.js";
import { openTill, sale } from "../support/till.js";

const SALES = 4;

/** A till that records what its ledger is asked to write. @param refuses the changes that the ledger rejects */
async function watchedTill(refuses: (changes: readonly Change[]) => boolean = () => false) {
  const commits: string[][] = [];
  const watched = (ledger: Ledger): Ledger => {
    const commit = (changes: readonly Change[]) => {
      if (refuses(changes)) return Promise.reject(new LedgerError("full", "The disk is full"));
      commits.push(changes.map(({ kind: change }) => change));
      return ledger.commit(changes);
    };
    return new Proxy(ledger, { get: (target, name) => (name === "commit" ? commit : Reflect.get(target, name)) });
  };
  const tampered = new TamperedReader();
  const card = makeCard();
  tampered.reader.insert(card);
  const till = await openTill({ card, reader: tampered.reader, hooks: { ledger: watched } });
  commits.length = 0;
  return { till, commits, tampered };
}

/** All of them wait before the card signs the first one. */
async function sold({ till, tampered }: Awaited<ReturnType<typeof watchedTill>>) {
  const letGo = tampered.hold(SIGN);
  const posts = Array.from({ length: SALES }, (_, i) => till.sell(sale(), { RequestId: `order-${i}` }));
  const waits = async (i: number) => (await till.call("GET", `/api/v3/invoices/order-${i}`)).status === 503;
  await expect.poll(() => Promise.all(posts.map((_, i) => waits(i)))).toEqual(Array(SALES).fill(true));
  letGo();
  return Promise.all(posts);
}

const counterOf = (answer: { json<T>(): T }) => answer.json<{ totalCounter: number }>().totalCounter;

it("the queue writes an answer and the next intent together while sales wait", async () => {
  const watched = await watchedTill();
  const { commits } = watched;
  const answers = await sold(watched);
  expect(answers.map(counterOf).sort()).toEqual([1, 2, 3, 4]);
  const answer = ["complete", "card"];
  expect(commits).toEqual([["intent"], ...Array(SALES - 1).fill([...answer, "intent"]), answer]);
});

it("the queue stores the answer alone when the disk has no room for both", async () => {
  const both = (changes: readonly Change[]) => changes.length > 2;
  const watched = await watchedTill(both);
  const { commits } = watched;
  const answers = await sold(watched);
  expect(answers.map(({ status }) => status)).toEqual(Array(SALES).fill(200));
  expect(commits).toHaveLength(2 * SALES);
});

it("the queue gives a waiting sale its own refusal", async () => {
  const { till } = await watchedTill();
  const wrong = { ...sale(), items: [{ name: "?", quantity: 1, unitPrice: 1, labels: ["Z"], totalAmount: 1 }] };
  const [first, refused, last] = await Promise.all([till.sell(), till.sell(wrong), till.sell()]);
  expect([first?.status, last?.status]).toEqual([200, 200]);
  expect(refused?.json()).toMatchObject({ code: "2310" });
});

it("the queue gives a waiting repeat the answer that was written meanwhile", async () => {
  const { till } = await watchedTill();
  const post = () => till.sell(sale(), { RequestId: "order-1" });
  const [first, repeated] = await Promise.all([post(), post()]);
  expect(repeated?.text).toBe(first?.text);
  expect(till.cardState().totalCounter).toBe(1);
});
