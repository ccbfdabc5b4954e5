/**
 * The built package has what each command loads, and each command says that its output could not be written. Other tests
 * run commands in their own process, from the sources.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { makeProgram } from "../../src/commands/program.js";
import { serve, tillsealProcess } from "../support/command.js";
import { CLI, environmentWith, HAS_FULL_DEVICE } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/free-port.js";
import { RECORDED_URLS } from "../support/recorded.js";

/** Commands that are run as processes by test/slow/docs-run.test.ts, test/cli/vsdc.test.ts, test/emulator/agent.test.ts and test/pcsc. */
const ELSEWHERE =
  /^(serve|mcp|proxy|verify|changes|backup|restore|conformance|sample invoice|report|authority .*|data export|card (info|list|publish)|audit (status|now|export|import|confirm)|scenario run)$/;

const leavesOf = ({ commands }: Command, path: readonly string[] = []): string[] =>
  commands.length === 0 ? [path.join(" ")] : commands.flatMap((one) => leavesOf(one, [...path, one.name()]));

type Row = readonly [name: string, status: number, args: readonly string[]];

/** Commands beside a service, that write into new files of its folder, and those of {@link ELSEWHERE} that print much. */
async function rowsBeside(): Promise<{ rows: Row[]; others: Row[] }> {
  const folder = temporaryFolder();
  const at = ["--data-dir", join(folder, "data")];
  const none = ["--data-dir", join(folder, "none")];
  const { url, greeting } = await serve(["--control-port", "0", ...at]);
  const control = ["--control-url", /http:\S+(?=\/control drives)/.exec(greeting)?.[0] ?? ""];
  const pos = ["--for", "1ms", "--port", String(await freePort())];
  const rows: Row[] = [
    ["status", 0, at],
    ["sample sale", 0, [url]],
    ["decode", 0, [RECORDED_URLS[0].url]],
    ["config", 0, at],
    ["doctor", 0, at],
    ["environment check", 0, ["fixtures/environments/cyrillic.yaml"]],
    ["card make-keys", 0, ["--out", join(folder, "keys")]],
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
  const others: Row[] = [
    ["--help", 0, []],
    ["verify", 0, at],
    ["changes", 0, at],
    ["backup", 0, [join(folder, "copy.db"), ...at]],
    ["report", 0, at],
    ["data export", 0, [join(folder, "export"), ...at]],
    ["card list", 0, []],
    ["audit status", 0, at],
    ["audit now", 0, at],
    ["audit export", 0, [folder, "--same-disk", ...at]],
    ["sample invoice", 0, []],
    ["scenario run", 0, ["pin/card-locked"]],
    ["conformance", 0, [url]],
  ];
  return { rows, others };
}

it("runs each command as a process", async () => {
  const { rows } = await rowsBeside();
  const named = rows.map(([name]) => name);
  expect(leavesOf(await makeProgram()).filter((name) => !named.includes(name) && !ELSEWHERE.test(name))).toEqual([]);
  for (const [name, status, args] of rows) {
    const ended = await tillsealProcess([...name.split(" "), ...args], {}, undefined, "1234\n");
    expect([name, ended.status, ended.stderr]).toEqual([name, status, expect.not.stringMatching(/\n\s+at /)]);
  }
}, 240_000);

/** Runs a command whose output goes to a full device. @returns what it said on standard error, and its exit status */
function onFullDevice(args: readonly string[]): Promise<string> {
  const words = ["-c", 'exec "$@" >/dev/full', "sh", process.execPath, CLI, ...args];
  return new Promise((resolve) => {
    const child = execFile("sh", words, { env: environmentWith(), timeout: 60_000 }, (error, _stdout, stderr) => {
      resolve(`${error?.code ?? 0} ${stderr}`);
    });
    child.stdin?.end("1234\n");
  });
}

it.runIf(HAS_FULL_DEVICE)(
  "each command says that its output could not be written",
  async () => {
    const { rows, others } = await rowsBeside();
    // These refuse: they write nothing but the reason, to standard error.
    const silent = ["incidents decide", "audit unsent", "pki-pin", "stop", "rehearse", "scenario expect"];
    const said: [name: string, text: string][] = [];
    for (const [name, , args] of [...rows, ...others].filter(([name]) => !silent.includes(name))) {
      const text = await onFullDevice([...name.split(" "), ...args]);
      if (!/^1 (.*\n)*tillseal: cannot write the output: ENOSPC/.test(text)) said.push([name, text]);
    }
    expect(said).toEqual([]);
  },
  240_000,
);
