/** Cards that do not send a long answer in one piece (ISO 7816-4). */
import { expect, it } from "vitest";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { openTill } from "../support/till.js";

const [GET_RESPONSE, SIGN] = [0xc0, 0x13];

it.each([
  { longAnswers: "61xx", classes: [0x00, 0x88] },
  { longAnswers: "61xx", classes: [0x00] },
  { longAnswers: "61xx", classes: [0x88] },
  { longAnswers: "6Cxx", classes: [0x00] },
])("a sale is signed once by a card that splits its answer, whichever class its GET RESPONSE has: %j", async (card) => {
  const { longAnswers, classes } = card;
  const asked: number[] = [];
  let pieces = 0;
  const reader = readerWith(async (command, run) => {
    const [cla = 0, ins = 0] = command;
    if (ins === GET_RESPONSE && !classes.includes(cla)) return Buffer.from("6E00", "hex");
    asked.push(ins);
    const answer = await run();
    if (ins === SIGN && answer.length < 300) pieces++;
    return answer;
  });
  const emulated = makeCard({ longAnswers });
  reader.insert(emulated);
  const till = await openTill({ card: emulated, reader });
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
  expect([till.cardState().totalCounter, pieces > 0, asked.includes(GET_RESPONSE)]).toEqual([1, true, true]);
});
