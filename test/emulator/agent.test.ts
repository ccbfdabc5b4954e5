/** `tillseal mcp`: a coding agent's usual hour, over the SDK's own client. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";

const client = new Client({ name: "agent", version: "1.0.0" });

beforeAll(async () => {
  const env = Object.fromEntries(
    Object.entries(environmentWith({})).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp", "--port", "0"], env }));
});
afterAll(() => client.close());

/** @returns the text of the answer, and whether the tool refused */
async function call(name: string, values: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: values });
  const [part] = content;
  return { isError, text: part?.type === "text" ? part.text : "" };
}

async function ask(name: string, values: Record<string, unknown> = {}): Promise<unknown> {
  const { isError, text } = await call(name, values);
  expect([name, isError, isError ? text : ""]).toEqual([name, false, ""]);
  return JSON.parse(text) as unknown;
}

/** Sells as the POS of the developer does. */
async function sell(service: string, requestId: string): Promise<void> {
  const answer = await fetch(`${service}/invoices`, {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: requestId },
    body: JSON.stringify({
      ...{ cashier: "Ana", invoiceType: "Normal", transactionType: "Sale" },
      payment: [{ amount: 100, paymentType: "Cash" }],
      items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
    }),
  });
  await answer.text();
}

it("a coding agent sells, locks the card, sees 2110, unlocks it, and verifies what the POS sent", async () => {
  const { service } = (await ask("addresses")) as { service: string };
  expect(await ask("sell_sample")).toMatchObject({ status: 200, answer: { totalCounter: 1, messages: "Success" } });

  expect(await ask("do_card", { card: { patch: { locked: true } } })).toMatchObject({ pin: "locked", pinTriesLeft: 0 });
  expect(await ask("sell_sample")).toMatchObject({ status: 400, answer: { code: "2110" } });
  expect(await ask("explain_code", { code: "2110" })).toMatchObject({
    pos: expect.arrayContaining([expect.objectContaining({ Type: "Error" })]),
    shop: [{ "What to do": expect.stringContaining("Ask the tax authority for a new card") }],
  });

  expect(await ask("do_card", { card: { patch: { locked: false } } })).toMatchObject({
    pin: "required",
    pinTriesLeft: 5,
  });
  expect(await ask("sell_sample")).toMatchObject({ status: 200, answer: { totalCounter: 2 } });

  // The POS of the developer.
  await fetch(`${service}/invoices`, {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: "order-1" },
    body: '{"items":[]}',
  });
  const sent = (await ask("find_requests", { where: { requestId: "order-1" } })) as {
    count: number;
    requests: { id: number }[];
  };
  expect(sent).toMatchObject({ count: 1, requests: [{ status: 400, signed: false }] });
  expect(await ask("find_requests", { where: { signed: true } })).toMatchObject({ count: 2 });
  const [request] = sent.requests;
  expect(await ask("explain_request", { id: request?.id })).toMatchObject({
    codes: { 2800: "Required field is missing" },
  });
  const { requests, notSeen } = (await ask("rehearse")) as { requests: number; notSeen: readonly object[] };
  expect([requests > 5, notSeen.length > 5]).toEqual([true, true]);
  const midnight = { name: "pos/labels-at-midnight", in: "running" };
  expect((await call("begin_situation", midnight)).text).toContain("begins a new till");
});

it("a coding agent begins in a situation, sets faults and the clock, and goes back", async () => {
  const locked = (await ask("list_situations", { text: "a LOCKED card" })) as { name: string }[];
  expect(locked.map(({ name }) => name)).toContain("pin/card-locked");
  const twins = (await ask("list_situations", { text: "recovery/disk-full" })) as { name: string; title: string }[];
  expect(twins.length).toBeGreaterThan(1);
  for (const { name, title } of twins) {
    expect(await ask("begin_situation", { name, title })).toMatchObject({ situation: title });
  }
  expect((await call("begin_situation", { name: twins[0]?.name, title: "nonsense" })).text).toContain(twins[1]?.title);
  expect(await ask("begin_situation", { name: "pin/card-locked" })).toMatchObject({ card: { pin: "locked" } });
  await ask("do_faults", { faults: [{ on: "sign", kind: "removedBefore", nth: 1 }] });
  expect(await ask("look", { what: "faults" })).toMatchObject([{ kind: "removedBefore", struck: 0 }]);
  expect(await ask("do_faults", { faults: "clear" })).toEqual([]);
  const stopped = await ask("do_clock", { clock: { at: "2026-12-31T23:59:50Z", ticking: false } });
  expect(stopped).toEqual(await ask("look", { what: "clock" }));
  expect((await call("reset")).isError).toBe(false);
  // With it, judge_situation would judge a situation that has ended.
  expect((await call("reset", { toFirst: true })).isError).toBe(true);
});

it("a coding agent gets the limits of the control interface, and a reason for each refusal", async () => {
  expect(await call("do_card", { card: { patch: { sum: "much" } } })).toMatchObject({
    isError: true,
    text: expect.stringContaining("sum"),
  });
  expect(await call("do_faults", { faults: [{ on: "sign", kind: "nonsense" }] })).toMatchObject({ isError: true });
  expect((await call("do_card", { card: "removee" })).text).toContain("did you mean remove?");
  expect(await call("explain_code", { code: "9999" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("9999"),
  });
  expect(await call("begin_situation", { name: "none" })).toMatchObject({
    text: expect.stringContaining("list_situations"),
  });
  expect(await call("read_docs", { page: "../../secrets.md" })).toMatchObject({ isError: true });
});

it.each([
  ["a list of users", "root:x:0:0:SECRET\nana:x:1:1:SECRET\n"],
  ["a file of settings", "SECRET: 1\n? SECRET2\n"],
  ["variables", "TOKEN=SECRET\nexport SECRET\n"],
  ["a list", "- SECRET\n- {SECRET: 1}\n"],
  ["a flow", '{"a": SECRET} SECRET\n'],
  ["a scalar that ends early", '"a" SECRET: b\n] SECRET\n'],
  ["an alias", "a: *SECRET\n"],
  ["a tag", "a: !SECRET b\n"],
  ["an escape", 'a: "\\SECRET"\n'],
  ["a directive", "%SECRET b\n---\na\n"],
  ["a document end", "a: 1\n... SECRET\n"],
  ["a header of a block", "a: |SECRET\n  x\n"],
])("a coding agent reads no line of a file that is no scenario: %s", async (_, content) => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, content);
  const { text } = await call("run_scenarios", { paths: [file] });
  expect(text).toContain(file);
  expect(text).not.toContain("SECRET");
});

it("a coding agent plays a scenario and reads the documentation", async () => {
  const paths = [join(PACKAGE_ROOT, "scenarios", "pin", "card-locked.yaml")];
  expect(await ask("run_scenarios", { paths })).toEqual({ summary: "1 passed, 0 failed", failed: [], notSeen: [] });
  const { text: index } = await call("read_docs");
  expect(index).toContain("(codes.md)");
  const pages = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page ?? "");
  expect(pages.length).toBeGreaterThan(20);
  const { text } = await call("read_docs", { page: "codes.md" });
  expect((await call("read_docs", { page: "../README.md" })).text).toContain("# tillseal");
  expect(text).toBe(readFileSync(join(PACKAGE_ROOT, "docs", "codes.md"), "utf8"));
});

it("a coding agent hears what the POS must do in a situation, and whether it did", async () => {
  const { service } = (await ask("addresses")) as { service: string };
  expect(await ask("begin_situation", { name: "pos/card-changed" })).toMatchObject({
    todo: expect.stringContaining("Enter the PIN"),
    judgedBy: "judge_situation",
  });
  expect(await ask("judge_situation")).toMatchObject({ outcome: "not seen", requests: 0 });
  await sell(service, "order-1");
  expect(await ask("judge_situation")).toMatchObject({
    outcome: "failed",
    unmet: [expect.stringContaining("the PIN comes before the first invoice")],
  });
  await fetch(`${service}/pin`, { method: "POST", body: "1234" });
  await sell(service, "order-1");
  expect(await ask("judge_situation")).toMatchObject({ outcome: "passed", unmet: [] });
  const receipts = await ask("look", { what: "store" });
  expect(await ask("begin_situation", { name: "pos/lost-answer", in: "running" })).toMatchObject({
    todo: expect.stringContaining("Sell once"),
    rowsOfRehearse: ["FORB-001-LOST"],
  });
  expect(await ask("look", { what: "store" })).toEqual(receipts);
  await expect(sell(service, "order-2")).rejects.toThrow();
  await sell(service, "order-2");
  expect(await ask("judge_situation")).toMatchObject({ outcome: "passed" });
});

it("a coding agent hears that a POS sold twice because it took a new RequestId after a lost answer", async () => {
  expect(client.getInstructions()).toContain("Call list_situations with the text pos/ first");
  const { service } = (await ask("addresses")) as { service: string };
  await ask("begin_situation", { name: "pos/lost-answer" });
  await expect(sell(service, "order-1")).rejects.toThrow();
  await sell(service, "order-2");
  const unmet = /^two receipts were signed for equal invoices: request (\d+) with RequestId order-1, and .* order-2$/;
  expect(await ask("judge_situation")).toMatchObject({
    outcome: "failed",
    unmet: [expect.stringMatching(unmet), expect.stringContaining("repeated with its RequestId")],
  });
  const { requests } = (await ask("find_requests", { where: { signed: true } })) as { requests: { id: number }[] };
  const [first, second] = requests.map(({ id }) => id);
  expect(await ask("explain_request", { id: second })).toMatchObject({
    equalInvoiceBefore: `request ${first} with RequestId order-1 was signed`,
  });
  expect(await ask("explain_request", { id: first })).not.toHaveProperty("equalInvoiceBefore");
  // The same sale again, and then another customer with the same coffee.
  await ask("begin_situation", { name: "pos/lost-answer" });
  await expect(sell(service, "order-1")).rejects.toThrow();
  for (const id of ["order-1", "order-2"]) await sell(service, id);
  expect(await ask("judge_situation")).toMatchObject({ outcome: "passed", unmet: [] });
});

it("a coding agent gets a situation of the online service, and its address, without a flag", async () => {
  await ask("begin_situation", { name: "pos/falls-back-to-online" });
  expect(await ask("addresses")).toMatchObject({ online: { pac: expect.any(String), pfx: expect.any(String) } });
  await ask("begin_situation", { name: "pin/card-locked" });
  expect(await ask("addresses")).not.toHaveProperty("online");
});

it("a coding agent that misspells a name gets the right one", async () => {
  expect((await call("begin_situation", { name: "pin/card-lockd" })).text).toContain("pin/card-locked");
  expect((await call("read_docs", { page: "code.md" })).text).toContain("did you mean codes.md?");
  expect((await call("read_docs", { page: "codes.md#all-code" })).text).toContain("did you mean all-codes?");
  expect((await call("run_scenarios", { tag: "pins" })).text).toContain("did you mean pin?");
  expect((await call("explain_code", { code: "2111" })).text).toContain("2110");
});

it("a coding agent reads a long page by its headings", async () => {
  const { text } = await call("read_docs", { page: "tax-authority.md" });
  expect(text).toContain("- tax-authority.md#reports");
  const part = await call("read_docs", { page: "tax-authority.md#reports" });
  expect(part.text).toMatch(/^## Reports[\s\S]*9004/);
  expect(part.text).not.toContain("## Connect");
});

/** What each tool is asked for after 100 sales. */
const ASKED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  addresses: {},
  list_situations: {},
  look: { what: "faults" },
  do_card: { card: { patch: { limit: "1000000.00" } } },
  do_clock: { clock: { advance: "1s" } },
  do_service: { service: "restart" },
  do_authority: { authority: "audit" },
  do_faults: { faults: [{ on: "answer", nth: 900, kind: "connectionDropped" }] },
  sell_sample: {},
  find_requests: {},
  explain_request: { id: 50 },
  explain_code: { code: "1999" },
  run_scenarios: {},
  rehearse: {},
  read_docs: { page: "protocol.md" },
  begin_situation: { name: "pos/falls-back-to-online" },
  do_vsdc: { vsdc: { loseAnswers: false } },
  judge_situation: {},
  reset: {},
};

it("after 100 sales, each tool answers in less than 20,000 characters", { timeout: 240_000 }, async () => {
  await ask("begin_situation", { name: "pin/right-pin" });
  const { service } = (await ask("addresses")) as { service: string };
  await fetch(`${service}/pin`, { method: "POST", body: "1234" });
  for (let i = 1; i <= 100; i++) await sell(service, `order-${i}`);
  for (let i = 1; i <= 60; i++)
    await ask("do_faults", { faults: [{ on: "answer", nth: 900 + i, kind: "connectionDropped" }] });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(ASKED).toSorted());
  for (const [name, values] of Object.entries(ASKED)) {
    const { isError, text } = await call(name, values);
    expect([name, isError, isError ? text : "", text.length < 20_000]).toEqual([name, false, "", true]);
    // A cut answer is no JSON.
    expect(text.startsWith("{") || text.startsWith("[") ? () => JSON.parse(text) as unknown : () => text).not.toThrow();
    if (name === "find_requests") {
      const { count, requests } = JSON.parse(text) as { count: number; requests: readonly object[] };
      expect([count > 100, requests.length]).toEqual([true, 20]);
    }
  }
});

it("a coding agent learns from the annotations which tools only read, and which erase", async () => {
  const { tools } = await client.listTools();
  const withHint = (hint: "readOnlyHint" | "destructiveHint") =>
    tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name);
  expect(withHint("destructiveHint")).toEqual(["begin_situation", "reset", "do_faults"]);
  expect(withHint("readOnlyHint")).toEqual(
    expect.arrayContaining([
      "addresses",
      "look",
      "find_requests",
      "explain_code",
      "judge_situation",
      "rehearse",
      "read_docs",
    ]),
  );
  expect(withHint("readOnlyHint")).not.toContain("sell_sample");
});

it("a coding agent has no tool that takes an address, so none can reach a real card", async () => {
  const { tools } = await client.listTools();
  const fields = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
  expect(tools.length).toBeGreaterThan(10);
  expect(fields.filter((name) => /url|host|port|address/i.test(name))).toEqual([]);
});
