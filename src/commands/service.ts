/** Makes the commands for the running service: `tillseal status`, `stop` and `pki-pin`. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { readText } from "../base/read-text.js";
import { minuteText } from "../base/terminal-text.js";
import { codeOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";
import { callService, serviceCall } from "../client/call-service.js";
import { inEnglish } from "../console/in-english.js";
import type { KeyPinRecord } from "../console/records/audits.js";
import type { TillRecord } from "../console/records/till.js";
import type { StopRecord } from "../console/stop.js";
import { asksPerson, verdictOf } from "../console/verdict.js";
import { describeCode, type FiscalCode } from "../fiscal/codes.js";
import type { SentSource } from "../ledger/sent.js";
import { inEnglish as findingInEnglish } from "../state/texts.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { askedKeyPin, printJson, printLines } from "./terminal.js";

export function statusCommand(): Command {
  const about = "show the state of the running service; exit status 1 if none runs";
  return settingsCommand("status", about, JSON_FLAG).action(async (flags: SettingFlags) => {
    const { findRunning } = await import("../client/find-running.js");
    const running = await findRunning(configFrom(flags));
    const { url, info } = running;
    const till = (await serviceCall(running, "")("GET", "/till")) as TillRecord;
    const { codes, card, audit, findings, environment, authority, clock } = till;
    if (flags.json) {
      const state = { codes, card: { ...card, kind: info.card }, audit, findings, environment, authority, clock };
      return printJson({ url, ...info, ...state });
    }
    const ready = { sentence: inEnglish("ready"), advice: inEnglish("readyAdvice") };
    const { sentence, advice, further } = verdictOf(findings, { text: findingInEnglish, ready });
    printLines([
      `${sentence} ${advice}`,
      ...further,
      ...(asksPerson(findings) ? ["run tillseal incidents to see what happened"] : []),
      `tillseal ${info.version}${info.build === "" ? "" : ` (${info.build})`} runs at ${url} (process ${info.pid})`,
      card.state === "ready"
        ? `card: ${card.uid} of ${card.taxpayer.businessName}, PIN ${card.pin}`
        : `card: ${card.reason}`,
      ...(audit ? [`audit: ${audit.sum} of ${audit.limit}`] : []),
      ...(environment ? [`environment: ${environment.name}, ${sourceOf(environment)}`] : []),
      ...(authority.since === null ? [] : [`tax authority: ${talkOf(authority)}`]),
      ...codes.map((code) => `${code} ${describeCode(code as FiscalCode).meaning}`),
    ]);
  });
}

function sourceOf({ file, sources }: NonNullable<TillRecord["environment"]>): string {
  if (file !== null) return `from the file ${file}`;
  return sources.map(({ source, values, since }) => `${FROM[source]}${values} ${since}`).join("; ");
}

const FROM = {
  authority: "sent by the tax authority",
  file: "from a file that a person imported",
  backup: "from a backup that a person restored",
} as const satisfies Record<SentSource, string>;

function talkOf({ contact, since, at, problem }: TillRecord["authority"]): string {
  const answers = contact === "reachable" ? "reached" : "not reached";
  return `${answers} at ${minuteText(at ?? "")} (since ${minuteText(since ?? "")})${problem === null ? "" : `: ${problem}`}`;
}

/** The service finishes answers in flight before it stops, and a card takes about a second for each. */
const STOP_LIMIT_MS = 30_000;
const STOP_CHECK_INTERVAL_MS = 50;

export function stopCommand(): Command {
  const command = settingsCommand("stop", "stop the running service; answers in flight are finished", {
    "--anyway": "stop it also if a signed receipt is lost: a full or broken disk could not store it",
  });
  return command.action(async (flags: SettingFlags) => {
    const { findRunning, requireProven } = await import("../client/find-running.js");
    const running = await findRunning(configFrom(flags));
    const { pid } = requireProven(running);
    const answer = await callService(running, "POST", flags.anyway === true ? "/stop?anyway" : "/stop");
    const { supervisor } = (await answer.json()) as StopRecord;
    for (let waited = 0; isAlive(pid); waited += STOP_CHECK_INTERVAL_MS) {
      if (waited >= STOP_LIMIT_MS)
        throw new UserError(`process ${pid} has not ended within ${STOP_LIMIT_MS / 1000} s; a card may hang`);
      await delay(STOP_CHECK_INTERVAL_MS);
    }
    printLines([`stopped: ${running.url}`, ...(supervisor === null ? [] : [RESTARTS[supervisor]])]);
  });
}

const RESTARTS = {
  systemd: "systemd may start it again at once: systemctl stop tillseal keeps it stopped",
  container: "the container's engine may start it again at once: stop the container to keep it stopped",
} as const satisfies Record<NonNullable<StopRecord["supervisor"]>, string>;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Linux keeps a process that has ended until its parent asks for its status.
    const status = `/proc/${pid}/stat`;
    return !existsSync(status) || !/\) [XZ] /.test(readText(status));
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

export function pkiPinCommand(): Command {
  const about =
    "enter the PIN of the key in the card for the tax authority, at the terminal or on standard input; the running service keeps it in memory";
  const ownPin = { "--card-pin": "try the card's own PIN instead, which may be the same; once for each card" };
  return settingsCommand("pki-pin", about, ownPin).action(async (flags: SettingFlags) => {
    const { findRunning, requireProven } = await import("../client/find-running.js");
    const running = await findRunning(configFrom(flags));
    requireProven(running);
    const call = serviceCall(running, "/pki-pin");
    const body = flags.cardPin === true ? { cardPin: true } : { keyPin: await askedKeyPin() };
    printLines([textOf((await call("POST", "", body)) as KeyPinRecord)]);
  });
}

/** The text about an accepted PIN. @throws UserError if the PIN was not accepted */
function textOf(answer: KeyPinRecord): string {
  switch (answer.kind) {
    case "verified":
      return "the key accepts this PIN; the service gets its tokens with it until it ends";
    case "wrong-pin":
      throw new UserError(`wrong PIN; attempts left: ${answer.pinTriesLeft}. The service sends none on its own now`);
    case "locked":
      throw new UserError("the PIN of the key is locked: ask the tax authority");
    case "not-sent":
      throw new UserError(`no PIN was sent, and no attempt was lost: ${answer.reason}`);
    case "unknown":
      throw new UserError(
        `the card may have got the PIN, and an attempt may be lost (${answer.reason}): tillseal doctor shows the attempts that are left`,
      );
  }
}
