/** `tillseal snapshot`: saves the emulator's world to a file, and loads it. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Command } from "commander";
import { OWNER_ONLY } from "../../src/base/private-file.js";
import { messageOf } from "../../src/base/thrown.js";
import { UserError } from "../../src/base/user-error.js";
import { printLines } from "../../src/commands/terminal.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import { controlAddress, defaultControlUrl, requireControl } from "../scenario/remote.js";

/** A snapshot stops and starts the service. */
const ANSWER_LIMIT_MS = 60_000;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;
/** Suffix of a snapshot's file. The console uses the same suffix. */
const SUFFIX = ".tillseal-snapshot";

interface Flags {
  readonly controlUrl: string;
  readonly restore?: boolean;
}

export function snapshotCommand(): Command {
  return new Command("snapshot")
    .description("save everything about a running emulator (card, receipts, clock, faults) to a file, or load it")
    .addCommand(saveCommand())
    .addCommand(loadCommand());
}

const withUrl = (command: Command) =>
  command.option("--control-url <url>", "control interface of the emulator", defaultControlUrl());

function saveCommand(): Command {
  return withUrl(new Command("save"))
    .description("take a snapshot and write it to a new file; the service restarts for it")
    .argument("<file>", `such as before${SUFFIX}`)
    .action(async (file: string, { controlUrl }: Flags) => {
      const path = `/snapshots/${nameOf(file)}`;
      await control(controlUrl, "PUT", path);
      const bytes = Buffer.from(await (await control(controlUrl, "GET", `${path}/file`)).arrayBuffer());
      try {
        // The flag "wx" makes sure that no file is overwritten.
        writeFileSync(file, bytes, { mode: OWNER_ONLY, flag: "wx" });
      } catch (error) {
        throw new UserError(`${file} was not written: ${messageOf(error)}`);
      }
      printLines([`${file}: ${bytes.length} bytes`]);
    });
}

function loadCommand(): Command {
  return withUrl(new Command("load"))
    .description(
      "load a snapshot from a file into an emulator; it keeps the snapshot under the file's name as long as it runs",
    )
    .argument("<file>", "written by save, or by the console")
    .option("--restore", "restore it at once: the emulator's current data is deleted")
    .action(async (file: string, { controlUrl, restore = false }: Flags) => {
      const name = nameOf(file);
      await control(controlUrl, "PUT", `/snapshots/${name}/file`, contentOf(file));
      if (restore) await control(controlUrl, "POST", `/snapshots/${name}/restore`);
      printLines([
        restore ? `The emulator was restored from ${file}.` : `The emulator has loaded the snapshot ${name}.`,
      ]);
    });
}

function contentOf(file: string): Buffer {
  try {
    if (!statSync(file).isFile()) throw new Error("it is not a regular file");
    return readFileSync(file);
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The name of the snapshot in a file. @throws UserError if the name is not valid for a snapshot */
function nameOf(file: string): string {
  const name = basename(file).replace(new RegExp(`${SUFFIX.replace(".", "\\.")}$`), "");
  if (NAME.test(name)) return name;
  throw new UserError(`${file}: a snapshot's name has letters, digits and ._- only, 64 at most`);
}

async function control(url: string, method: string, path: string, body?: Buffer): Promise<Response> {
  const address = controlAddress("--control-url", url);
  const answer = await fetch(`${address}/control${path}`, {
    method,
    redirect: "error",
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(body ? { body: new Uint8Array(body), headers: { "Content-Type": "application/octet-stream" } } : {}),
  }).catch(() => undefined);
  if (!answer) throw new UserError(`no answer from an emulator at ${url}; --control-url names its control interface`);
  if (answer.ok) return answer;
  const text = await answer.text();
  requireControl(url, answer.status, text);
  throw new UserError(`the emulator refused: ${messageIn(text)}`);
}

function messageIn(text: string): string {
  const { message, details = [] } = fieldsOf(jsonIn(text)) as { message?: string; details?: readonly string[] };
  return message === undefined ? text : [message, ...details].join(": ");
}
