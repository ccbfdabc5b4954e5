/** The scenarios that watch a POS: each is met by a POS that does it right, and not by one that makes the mistake. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Emulator } from "../../harness/testkit.js";
import { expectOfPos } from "../../harness/watch/expect.js";
import { rehearse } from "../../harness/watch/rehearse.js";
import { serve, tillseal } from "../support/command.js";
import { openedEmulator } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { type Mistake, Pos } from "../support/pos.js";
import { sale } from "../support/sale.js";
import { scenarioFile } from "../support/scenario-file.js";

type Act = (pos: Pos, till: Emulator) => Promise<unknown>;

const twice: Act = async (pos) => {
  await pos.sell();
  await pos.sell();
};

const refundAndCopy: Act = async (pos) => {
  const sale = await pos.sell();
  if (!sale) return;
  await pos.about(sale, { transactionType: "Refund" });
  await pos.about(sale, { invoiceType: "Copy" });
};

const overMidnight: Act = async (pos, till) => {
  await pos.sell();
  till.clock.advance("1m");
  await pos.sell();
};

const saleAndAdvance: Act = async (pos) => {
  await pos.sell();
  await pos.advance("2026-01-01T12:00:00Z");
};

const EXAMPLES: readonly (readonly [name: string, mistake: Mistake, act: Act, complaint: string])[] = [
  [
    "lost-answer",
    "a new RequestId after a lost answer",
    twice,
    "the lost sale is repeated with its RequestId, or its receipt is read by it (2 of 2 in order)",
  ],
  ["card-changed", "no PIN", twice, "/pin$"],
  ["card-not-reached", "a new RequestId after an error", twice, "(2 of 2 in order)"],
  ["labels-in-the-wrong-alphabet", "Latin letters as labels", twice, "400 2310"],
  ["labels-at-midnight", "labels in the program", overMidnight, "400 2310"],
  ["refund-names-its-original", "no number of the original", refundAndCopy, "without the number of its original"],
  ["pos-time", "the time of the POS on every invoice", saleAndAdvance, "the time of the POS on another type"],
  ["printed-without-an-answer", "a new RequestId after an error", twice, "the refused sale is sent again with a new"],
  ["advance-is-closed", "an advance that is not named", saleAndAdvance, "(3 of 3 in order)"],
  ["pos-number", "a POS number with something appended", twice, "a POS number in another form"],
];

async function unmet(name: string, act: Act, mistake?: Mistake): Promise<string[]> {
  const till = await openedEmulator({ scenario: `pos/${name}` });
  await act(new Pos(till.url, mistake), till);
  return till.unmet();
}

it.each(EXAMPLES)("a scenario %s is met by a right POS, and not with: %s", async (name, mistake, act, complaint) => {
  expect(await unmet(name, act)).toEqual([]);
  expect((await unmet(name, act, mistake)).join("\n")).toContain(complaint);
});

const JSON_TYPE = { "Content-Type": "application/json" };
const SILENT = {
  command: [],
  port: 0,
  host: "localhost",
  stopped: new AbortController().signal,
  write: () => undefined,
  notice: () => undefined,
};

interface Status {
  readonly currentTaxRates: { readonly taxCategories: readonly { taxRates: readonly { label: string }[] }[] };
}

/** @param orders that are signed after the lost answer */
type Sell = (url: string, orders?: readonly string[]) => Promise<void>;

/** Puts a till into pos/lost-answer, and lets a POS sell. */
const DOORS: Readonly<Record<string, (sell: Sell) => Promise<unknown>>> = {
  "the kit": async (sell) => {
    const till = await openedEmulator({ scenario: "pos/lost-answer" });
    await sell(till.url);
    await till.reset();
    await sell(till.url);
  },
  "the guide": async (sell) => {
    const till = await openedEmulator({ given: { card: { pinVerified: true } } });
    const put = (body: object) =>
      fetch(`${till.controlUrl}/control/rehearsal/situation`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      });
    expect((await put({ name: "pos/lost-answers" })).status).toBe(404);
    expect((await put({ name: "pos/labels-at-midnight" })).status).toBe(400);
    expect((await put({ name: "pos/lost-answer" })).status).toBe(204);
    await sell(till.url);
  },
  "serve --scenario": async (sell) => {
    const till = await serve(["--scenario", "pos/lost-answer"]);
    await sell(till.url);
  },
  "scenario expect": async (sell) => {
    let selling = Promise.resolve();
    const notice = (text: string) => {
      const [, url] = /POS at (\S+);/.exec(text) ?? [];
      // The steps are played after the addresses are known.
      if (url !== undefined) selling = delay(1000).then(() => sell(url));
    };
    const results = await expectOfPos({ ...SILENT, paths: ["pos/lost-answer"], reporter: "json", notice });
    expect(results.filter(({ id }) => id === "pos/lost-answer")).toMatchObject([{ outcome: "passed" }]);
    await selling;
  },
  "scenario expect --control-url": async (sell) => {
    const till = await openedEmulator();
    let selling = Promise.resolve();
    const results = await expectOfPos({
      ...SILENT,
      paths: ["pos/lost-answer"],
      controlUrl: till.controlUrl,
      reporter: "pretty",
      write: (text) => {
        if (text.includes("watching for")) selling = sell(till.url);
      },
    });
    expect(results.filter(({ id }) => id === "pos/lost-answer")).toMatchObject([{ outcome: "passed" }]);
    await selling;
  },
  "rehearse --drive": (sell) => driven(sell, {}),
  "rehearse --target": async (sell) => {
    const till = await openedEmulator();
    await driven(sell, { target: new URL(till.url) }, (step) =>
      fetch(`${till.controlUrl}/control/do`, { method: "POST", headers: JSON_TYPE, body: step }),
    );
  },
};

/** Drives a POS through the situations, up to pos/lost-answer. @param byHand does a step at the service */
async function driven(
  sell: Sell,
  options: Partial<Parameters<typeof rehearse>[0]>,
  byHand: (step: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const stopped = new AbortController();
  let url = "";
  let isLost = false;
  let pos: Pos | undefined;
  let acting: Promise<unknown> = Promise.resolve();
  const next = (act: () => Promise<unknown>) => {
    // After the lost answer, the next situation begins.
    if (isLost) return;
    acting = acting.then(act);
    acting.catch(() => stopped.abort());
  };
  const notice = (text: string) => {
    const [, at] = /POS at (http:\/\/[^\s;]+)/.exec(text) ?? [];
    const [, step] = /^do this by hand at the service: (.*)/.exec(text) ?? [];
    url = at ?? url;
    pos ??= new Pos(url);
    const till = pos;
    if (step !== undefined) next(() => byHand(step).then(() => till.finish()));
    else if (text.startsWith("now: The answer to the next sale gets lost"))
      next(() => sell(url, ["order-1"]).finally(() => stopped.abort()));
    else if (at !== undefined || text.startsWith("now: "))
      next(async () => (await till.sell({ cashier: text.slice(0, 20) })) ?? till.finish());
    isLost ||= text.startsWith("now: The answer to the next sale gets lost");
  };
  await rehearse({ ...SILENT, drive: true, json: true, stopped: stopped.signal, notice, ...options });
  await acting;
}

it.each(Object.entries(DOORS))(
  "pos/lost-answer loses the answer of the next sale, once: %s",
  async (_, open) => {
    let sold = 0;
    await open(async (url, orders = ["order-1", "order-2"]) => {
      const status = await (await fetch(`${url}/api/v3/status`)).json();
      const { label } = (status as Status).currentTaxRates.taxCategories[0]?.taxRates[0] ?? {};
      const items = [{ name: "Milk /l", quantity: 1, unitPrice: 100, labels: [label], totalAmount: 100 }];
      const post = async (id: string) => {
        const sent = { method: "POST", headers: { ...JSON_TYPE, RequestId: id } };
        const answer = await fetch(`${url}/api/v3/invoices`, { ...sent, body: JSON.stringify(sale({ items })) });
        return answer.status;
      };
      await expect(post("order-1")).rejects.toThrow();
      for (const order of orders) expect(await post(order)).toBe(200);
      sold += 1;
    });
    expect(sold).toBeGreaterThan(0);
  },
  60_000,
);

it("a scenario for a POS that nobody plays is not met, and names what is missing", async () => {
  expect(await unmet("pos-number", async () => undefined)).toEqual([
    expect.stringMatching(/\n {2}the POS sent nothing\n {2}no request matches /),
  ]);
});

it("tillseal scenario expect puts each situation in turn, and judges what the POS sends in it, also at a running emulator", async () => {
  const till = await openedEmulator({ given: { card: { uid: "BEFORE01" } } });
  const output = join(temporaryFolder(), "watch.xml");
  const pos = new Pos(till.url, "a POS number with something appended");
  const results = await expectOfPos({
    ...SILENT,
    paths: ["pos/lost-answer", "pos/pos-number"].map((name) => `${name}.yaml`),
    controlUrl: till.controlUrl,
    for: 4000,
    reporter: "junit",
    output,
    // The POS begins when people read that the situation is there.
    write: (text) => {
      if (text.includes("watching for")) void twice(pos, till);
    },
  });
  expect(results.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
  expect(readFileSync(output, "utf8")).toMatch(/tests="1" failures="1"[\s\S]*the nearest is[\s\S]*123\/1\.0-till 4/);
  // The emulator is as it was before.
  expect(till.card.state.uid).toBe("BEFORE01");
});

it("tillseal scenario expect reports like run: text, JUnit and the exit status, with the nearest request and the difference", async () => {
  const file = scenarioFile(`name: A refund is signed
expect:
  - signed: { invoice: { transactionType: Refund } }
  - notSent: { code: "2310" }
`);
  const { status, stdout } = await tillseal(["scenario", "expect", "--for", "1ms", "--port", "0", file]);
  expect(stdout).toContain(": A refund is signed\n      wrong: ");
  expect(stdout).toContain(`${file}:3: expect 1: the POS did not send what it must send`);
  expect(stdout).toContain("0 passed, 1 failed");
  expect(status).toBe(1);
});

/** Tests of a POS that sells once, and repeats the sale until it has a receipt. @param id JavaScript of its RequestId */
const posProgram = (id: string) => {
  const file = join(temporaryFolder(), "pos.mjs");
  writeFileSync(
    file,
    `await fetch(process.env.TILLSEAL_URL + "/api/v3/status");
for (let tries = 1, answer; !answer?.ok && tries < 5; tries++) {
  answer = await fetch(process.env.TILLSEAL_URL + "/api/v3/invoices", {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: ${id} },
    body: ${JSON.stringify(JSON.stringify(sale()))},
  }).catch(() => undefined);
}`,
  );
  return [process.execPath, file];
};

it("tillseal scenario expect -- COMMAND runs the tests of a POS in each situation, as soon as the service answers", async () => {
  const files = ["pos/lost-answer", "pos/printed-without-an-answer"];
  const right = await tillseal(["scenario", "expect", ...files, "--", ...posProgram('"order-1"')]);
  expect([right.status, right.stdout]).toEqual([0, expect.stringContaining("2 passed, 0 failed")]);
  const wrong = await tillseal(["scenario", "expect", ...files, "--", ...posProgram('"order-" + tries')]);
  expect([wrong.status, wrong.stdout]).toEqual([1, expect.stringContaining("0 passed, 2 failed")]);
}, 60_000);

it("tillseal scenario expect -- COMMAND fails if nothing was sent, or the command failed", async () => {
  const file = scenarioFile("name: Nothing is refused\nexpect: [{ notSent: { code: '2310' } }]\n");
  const call = 'await fetch(process.env.TILLSEAL_URL + "/api/v3/attention");';
  const run = (program: string) => tillseal(["scenario", "expect", file, "--", process.execPath, "-e", program]);
  const nothing = await run("process.exit(0)");
  expect([nothing.status, nothing.stdout]).toEqual([
    1,
    expect.stringContaining("the POS sent nothing; no request reached TILLSEAL_URL: a kit inside the test"),
  ]);
  expect((await run(call)).status).toBe(0);
  const failed = await run(`${call} process.exit(2)`);
  expect([failed.status, failed.stdout]).toEqual([1, expect.stringContaining("ended with exit status 2")]);
  const neither = await run("process.exit(7)");
  expect(neither.stdout).toMatch(/the POS sent nothing; .*\n.*ended with exit status 7\n/);
}, 60_000);

it("tillseal scenario expect -- COMMAND has no limit of its own; after --for the expectations decide", async () => {
  const file = scenarioFile("name: Nothing is refused\nexpect: [{ notSent: { code: '2310' } }]\n");
  const stays = 'fetch(process.env.TILLSEAL_URL + "/api/v3/attention").then(() => setInterval(() => 0, 1000))';
  const command = ["--", process.execPath, "-e", stays];
  const stopped = await tillseal(["scenario", "expect", "--for", "5s", file, ...command]);
  expect([stopped.status, stopped.stdout]).toEqual([
    0,
    expect.stringMatching(/^passed .*\n.* was stopped after 5 s \(--for\)$/m),
  ]);
  const program = 'await fetch(process.env.TILLSEAL_URL + "/api/v3/attention")';
  const ended = await tillseal(["scenario", "expect", file, "--", process.execPath, "-e", program]);
  expect(ended.stdout).toContain("sends, until it ends; --for limits its time\n");
}, 60_000);

it("tillseal scenario expect -- COMMAND gives the command the address of a running emulator without its path", async () => {
  const till = await openedEmulator();
  const url = join(temporaryFolder(), "url");
  const program = 'require("node:fs").writeFileSync(process.argv[1], process.env.TILLSEAL_CONTROL_URL)';
  const flags = ["--control-url", `${till.controlUrl}/control/`, "--", process.execPath, "-e", program, url];
  await tillseal(["scenario", "expect", "pos/pos-number", ...flags]);
  expect(readFileSync(url, "utf8")).toBe(till.controlUrl);
});

it("tillseal scenario expect ends its command when it is ended, and judges nothing", async () => {
  const begun = join(temporaryFolder(), "begun");
  const program = `require("node:fs").writeFileSync(process.argv[1], String(process.pid)); setInterval(() => 0, 1000)`;
  const stopped = new AbortController();
  const watching = expectOfPos({
    ...SILENT,
    stopped: stopped.signal,
    command: [process.execPath, "-e", program, begun],
    paths: ["pos/lost-answer.yaml"],
    for: 60_000,
    reporter: "pretty",
  });
  const refused = expect(watching).rejects.toThrow("stopped; 0 of 1 situations were judged");
  await expect.poll(() => existsSync(begun) && readFileSync(begun, "utf8"), { timeout: 20_000 }).toMatch(/\d/);
  stopped.abort();
  await refused;
  expect(() => process.kill(Number(readFileSync(begun, "utf8")), 0)).toThrow("ESRCH");
}, 60_000);

it("pos/lost-answer is met by a POS that gets the receipt by the RequestId", async () => {
  const asks: Act = async (_, till) => {
    const address = `${till.url}/api/v3/invoices`;
    const headers = { "Content-Type": "application/json", RequestId: "order-1" };
    await fetch(address, { method: "POST", headers, body: JSON.stringify(sale()) }).catch(() => undefined);
    await fetch(`${address}/order-1`);
  };
  expect(await unmet("lost-answer", asks)).toEqual([]);
});
