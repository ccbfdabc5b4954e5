/** The built package has what each command loads. Other tests run commands in their own process, from the sources. */
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { makeProgram } from "../../src/commands/program.js";
import { serve, tillsealProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { RECORDED_URLS } from "../support/recorded.js";

/** Commands that are run as processes by test/slow/docs-run.test.ts, test/cli/vsdc.test.ts, test/emulator/agent.test.ts and test/pcsc. */
const ELSEWHERE =
  /^(serve|mcp|proxy|verify|changes|backup|restore|conformance|sample invoice|report|authority .*|data export|card (info|list|publish)|audit (status|now|export|import|confirm)|scenario run)$/;

const leavesOf = ({ commands }: Command, path: readonly string[] = []): string[] =>
  commands.length === 0 ? [path.join(" ")] : commands.flatMap((one) => leavesOf(one, [...path, one.name()]));

it("runs each command as a process", async () => {
  const folder = temporaryFolder();
  const at = ["--data-dir", join(folder, "data")];
  const none = ["--data-dir", join(folder, "none")];
  const { url, greeting } = await serve(["--control-port", "0", ...at]);
  const control = ["--control-url", /http:\S+(?=\/control drives)/.exec(greeting)?.[0] ?? ""];
  const pos = ["--for", "1ms", "--port", String(await freePort())];
  const rows: [name: string, status: number, args: readonly string[]][] = [
    ["status", 0, at],
    ["sample sale", 0, [url]],
    ["decode", 0, [RECORDED_URLS[0].url]],
    ["config", 0, at],
    ["doctor", 0, at],
    ["environment check", 0, ["fixtures/environments/cyrillic.yaml"]],
    ["card make-keys", 0, ["--seed", "s", "--out", join(folder, "keys")]],
    ["incidents list", 0, at],
    ["incidents confirm", 0, ["--all", ...at]],
    ["incidents decide", 2, ["order-1", "--signed", ...at]],
    ["audit unsent", 1, none],
    ["pki-pin", 1, at],
    ["data erase", 0, ["--before", "2016-01-01", ...at]],
    ["scenario list", 0, []],
    ["scenario show", 0, ["pin/card-locked"]],
    ["scenario coverage", 1, ["pin/card-locked"]],
    ["scenario expect", 1, [...pos, "pos/advance-is-closed"]],
    ["scenario expect", 2, [...pos, join(folder, "none.yaml")]],
    ["rehearse", 3, pos],
    ["snapshot save", 0, [join(folder, "world"), ...control]],
    ["snapshot load", 0, [join(folder, "world"), "--restore", ...control]],
    ["stop", 1, none],
  ];
  const named = rows.map(([name]) => name);
  expect(leavesOf(await makeProgram()).filter((name) => !named.includes(name) && !ELSEWHERE.test(name))).toEqual([]);
  for (const [name, status, args] of rows) {
    const ended = await tillsealProcess([...name.split(" "), ...args], {}, undefined, "1234\n");
    expect([name, ended.status, ended.stderr]).toEqual([name, status, expect.not.stringMatching(/\n\s+at /)]);
  }
}, 240_000);
