/**
 * Runs the commands of the documentation as a reader would paste them, each page in a new folder beside a till that has
 * sold. test/docs-commands.test.ts holds that every other command says who runs it, or why it is not run.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { PAGES, shellBlocks, unmarked } from "../support/documented.js";
import { HAS_CURL } from "../support/environment.js";
import { ReadersMachine } from "../support/readers-machine.js";

const TO_RUN = PAGES.flatMap((page) => {
  const blocks = shellBlocks(page)
    .map(unmarked)
    .filter((commands) => commands.length > 0);
  return blocks.length === 0 ? [] : [{ page, blocks }];
});

it("the documentation finds the commands", () => {
  expect(TO_RUN.flatMap(({ blocks }) => blocks.flat()).length).toBeGreaterThan(40);
});

let machine: ReadersMachine;
beforeAll(async () => {
  machine = await ReadersMachine.open();
});
afterAll(() => machine.close());

// The reader's machine enters the PIN with curl, as most pages say.
it.each(HAS_CURL ? TO_RUN : [])("the commands of $page run", ({ blocks }) => machine.follow(blocks));
