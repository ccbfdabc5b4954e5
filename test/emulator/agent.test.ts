/** `tillseal mcp`: a coding agent's usual hour, over the SDK's own client. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CLI } from "../support/command.js";
import { environmentWith } from "../support/environment.js";
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

it("a coding agent sells, locks the card, sees 2110, unlocks it, and verifies what the POS sent", async () => {
  const { service } = (await ask("addresses")) as { service: string };
  expect(await ask("sell_sample")).toMatchObject({ status: 200, answer: { totalCounter: 1, messages: "Success" } });

  expect(await ask("change_card", { locked: true })).toMatchObject({ pin: "locked", pinTriesLeft: 0 });
  expect(await ask("sell_sample")).toMatchObject({ status: 400, answer: { code: "2110" } });
  expect(await ask("explain_code", { code: "2110" })).toContainEqual(expect.objectContaining({ Type: "Error" }));

  expect(await ask("change_card", { locked: false })).toMatchObject({ pin: "required", pinTriesLeft: 5 });
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
  expect(await ask("explain_request", { id: request?.id })).toMatchObject({ codes: { 2800: expect.any(Array) } });
  const { requests, rows } = (await ask("rehearse")) as { requests: number; rows: readonly object[] };
  expect([requests > 5, rows.length > 5]).toEqual([true, true]);
  expect(await call("put_situation", { id: "none" })).toMatchObject({ isError: true });
});

it("a coding agent begins in a situation, sets faults and the clock, and goes back", async () => {
  const locked = (await ask("list_situations", { text: "a LOCKED card" })) as { name: string }[];
  expect(locked.map(({ name }) => name)).toContain("pin/card-locked");
  expect(await ask("begin_situation", { name: "pin/card-locked" })).toMatchObject({ uid: expect.any(String) });
  await ask("set_fault", { on: "sign", kind: "removedBefore", nth: 1 });
  expect(await ask("list_faults")).toMatchObject([{ kind: "removedBefore", struck: 0 }]);
  expect((await call("clear_faults")).text).toBe("done");
  expect(await ask("set_clock", { at: "2026-12-31T23:59:50Z", ticking: false })).toEqual(await ask("read_clock"));
  expect((await call("reset")).isError).toBe(false);
});

it("a coding agent gets the limits of the control interface, and a reason for each refusal", async () => {
  expect(await call("change_card", { sum: "much" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("sum"),
  });
  expect(await call("set_fault", { on: "sign", kind: "nonsense" })).toMatchObject({ isError: true });
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
  expect(await ask("run_scenarios", { paths })).toMatchObject({
    summary: expect.stringMatching(/^[1-9]\d* passed, 0 failed/),
  });
  const { text: index } = await call("read_docs");
  expect(index).toContain("(codes.md)");
  const pages = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page ?? "");
  expect(pages.length).toBeGreaterThan(20);
  const { text } = await call("read_docs", { page: "codes.md" });
  expect((await call("read_docs", { page: "../README.md" })).text).toContain("# tillseal");
  expect(text).toBe(readFileSync(join(PACKAGE_ROOT, "docs", "codes.md"), "utf8"));
});

it("a coding agent has no tool that takes an address, so none can reach a real card", async () => {
  const { tools } = await client.listTools();
  const fields = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
  expect(tools.length).toBeGreaterThan(10);
  expect(fields.filter((name) => /url|host|port|address/i.test(name))).toEqual([]);
});
