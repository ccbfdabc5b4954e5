/** `tillseal audit`: shows the state of audits, starts an audit, and does the audit without internet. */
import { Command } from "commander";
import type { StickFile } from "../authority/stick-files.js";
import { COMMAND_TYPE } from "../authority/tax-authority.js";
import { count } from "../base/count.js";
import { minuteText } from "../base/terminal-text.js";
import { UserError } from "../base/user-error.js";
import type { AuditSource } from "../client/audit-source.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type {
  AuditCardRecord,
  AuditsRecord,
  FailedCommandRecord,
  OpenAuditRecord,
  VerdictRecord,
} from "../console/records/audits.js";
import { asCaller, asOwner } from "../ledger/folder-owner.js";
import { confirmAll, confirmHeld, notConfirmed } from "./audit-changes.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { atPlace, STORE_ONLY } from "./place.js";
import { endWith } from "./surroundings.js";
import { printJson, printLines } from "./terminal.js";

export function auditCommand(): Command {
  return new Command("audit")
    .description("the tax authority's audit of the card: show its state, start one, or do it without internet")
    .addCommand(statusCommand(), { isDefault: true })
    .addCommand(unsentCommand())
    .addCommand(nowCommand())
    .addCommand(exportCommand())
    .addCommand(importCommand())
    .addCommand(confirmCommand());
}

/** Runs a task with the source of audits. Its code is loaded only when needed, to keep `--help` quick. */
async function withSource(config: LoadedConfig, task: (source: AuditSource) => Promise<void>): Promise<void> {
  const { auditSource } = await import("../client/audit-source.js");
  await atPlace(config, "read", (place) => task(auditSource(place)));
}

function statusCommand(): Command {
  const about = "show sales without a proof of audit, and the open audit; reads the store if no service runs";
  return settingsCommand("status", about, JSON_FLAG).action((flags: SettingFlags) =>
    withSource(configFrom(flags, true), async (source) => {
      const record = await source.read();
      // Without the service, no reader and no connection was looked at.
      const cards = record.cards.map((card) => ({ ...card, inReader: null }));
      const stored = { service: null, ...record, configured: null, cards };
      if (flags.json) printJson(source.url ? { service: source.url, ...record } : stored);
      else printLines(shownAudits(record, source));
      if (record.cards.some(({ failed }) => failed.length > 0)) endWith(1);
    }),
  );
}

function unsentCommand(): Command {
  const about =
    "say whether receipts may not have reached the tax authority: exit status 1 if so. The uninstallers ask this";
  return settingsCommand("unsent", about).action(async (flags: SettingFlags) => {
    const { StoreReading } = await import("../ledger/store-reading.js");
    const { unsentText } = await import("../state/unsent-sales.js");
    const dataDir = dataDirOf(configFrom(flags).settings);
    const text = unsentText(await StoreReading.open(dataDir).use((store) => store.audits().notReached()));
    if (text !== undefined) throw new UserError(`${text}: ${BEFORE}`);
    printLines(["Every receipt that this store knows of has reached the tax authority, or was exported to a stick."]);
  });
}

const BEFORE =
  'connect the service to the authority, or run tillseal audit export, before you change this machine (page "Before you change this machine")';

function nowCommand(): Command {
  const command = settingsCommand("now", "start an audit of the card in the reader; an open audit continues");
  return command.action((flags: SettingFlags) =>
    withSource(configFrom(flags, true), async (source) => {
      const { begun, reason } = await source.start(false);
      if (!begun) throw new UserError(`the audit did not start: ${reason ?? "the card gave no reason"}`);
      printLines(shownAudits(await source.read(), source));
    }),
  );
}

function exportCommand(): Command {
  const about = "write the sales that no proof covers, and the request for a proof, onto a stick for the tax authority";
  const command = settingsCommand("export", about, {
    "--uid <uid>": "use another card than the one in the reader, such as a replaced one",
    "--from <file>": "take sales that this store does not have from another store or backup",
    "--same-disk":
      "allow a folder on this machine's own disk, which you copy to a stick yourself; it does not count as on a stick",
  });
  command.argument("<dir>", "folder of the stick; the files go into a folder with the UID of the card");
  return command.action(async (dir: string, flags: SettingFlags) => {
    const { exportTo } = await import("../authority/audit-stick.js");
    const { ownDisk } = await import("../authority/own-disk.js");
    const config = configFrom(flags, true);
    const notStick = asCaller(() => ownDisk(dir, dataDirOf(config.settings)));
    if (notStick !== undefined && flags.sameDisk !== true) {
      throw new UserError(
        `${notStick}: is the stick in the machine, and mounted? To copy the folder yourself, add --same-disk`,
      );
    }
    await withSource(config, async (source) => {
      const uid = typeof flags.uid === "string" ? flags.uid : onlyCard(await source.read());
      const problem = await startFor(source, uid);
      const lacks = (await source.read()).cards.find((card) => card.uid === uid)?.missing ?? [];
      const files = inFolder(filesFor(uid, source, lacks, config, flags.from));
      const { folder, hasRequest, packages, missing, needsKey, names } = await asCaller(() =>
        exportTo(dir, uid, files),
      );
      if (notStick === undefined) await source.carried(uid);
      const absent = absentIn(names, lacks);
      printLines([
        `${folder}: ${count(packages, "sale")}${hasRequest ? " and the request for a proof of audit" : ""}`,
        ...(hasRequest ? [] : [`The stick has no request for a proof of audit: ${problem ?? "no audit is open"}.`]),
        ...(notStick === undefined
          ? []
          : [`${notStick}: these sales count as carried only when you export them to a stick.`]),
        ...missing
          .slice(0, MOST_NAMED)
          .map((name) => `the package ${name} could not be made: ${needsKey ? NEEDS_KEY : "run tillseal verify"}`),
      ]);
      if (missing.length > 0) throw new UserError(`${count(missing.length, "sale")} could not be copied`);
      if (absent.length > 0)
        throw new UserError(`no store has the sales with the counters ${rangesText(absent)}: ${ABSENT_ADVICE}`);
    });
  });
}

const ABSENT_ADVICE =
  "the tax authority may refuse the proof. Name a store that has them with --from FILE, or name these counters to the tax authority and ask what to do";

const NEEDS_KEY =
  "the store does not have the authority's key yet; start the service, insert the card and enter its PIN";

function importCommand(): Command {
  const about =
    "execute the tax authority's commands from a stick, such as a proof of audit, and write the results to the stick";
  const yes = { "--yes": "execute commands that change rates or addresses without a question" };
  const command = settingsCommand("import", about, yes);
  command.argument("<dir>", "folder of the stick, which contains the folder with the UID of the card");
  return command.action(async (dir: string, flags: SettingFlags) => {
    const { cardsWithCommands, importFrom } = await import("../authority/audit-stick.js");
    await withSource(configFrom(flags, true), async (source) => {
      const uids = asCaller(() => cardsWithCommands(dir));
      if (uids.length === 0)
        throw new UserError(`${dir} has no folder with a file of commands, such as UID/UID.commands`);
      let notExecuted = 0;
      let waitsForYes = false;
      for (const uid of uids) {
        const take = () =>
          asCaller(() => importFrom(dir, uid, (commands) => asOwner(() => source.take(uid, commands))));
        let taken = await take();
        const { earlier } = taken;
        if (taken.held > 0) {
          await confirmHeld(source, uid, flags.yes === true);
          // If the person has confirmed the commands, they were executed, and the second call only writes their results
          // to the stick.
          taken = await take();
        }
        const { results, failed, waiting, foreign } = taken;
        notExecuted += waiting + failed.length + taken.held;
        waitsForYes ||= taken.held > 0;
        const parts = [
          `${count(results.length - failed.length - earlier, "command")} executed`,
          ...(earlier > 0 ? [`${count(earlier, "command")} executed before`] : []),
          ...(failed.length > 0 ? [`${failed.length} failed`] : []),
          ...(waiting > 0 ? [`${waiting} wait: insert the card, enter its PIN and run this again`] : []),
          ...(taken.held > 0 ? [`${taken.held} wait for your yes: tillseal audit confirm, or the page Audit`] : []),
          ...(foreign > 0 ? [`${foreign} for another card, ignored`] : []),
        ];
        const card = (await source.read()).cards.find((one) => one.uid === uid);
        printLines([`${uid}: ${parts.join("; ")}`, ...failed.map(failedLine), ...(card?.audit ? [STILL_OPEN] : [])]);
      }
      if (notExecuted === 0) return;
      const message = `${count(notExecuted, "command")} not executed`;
      throw waitsForYes ? notConfirmed(message, flags.yes === true) : new UserError(message);
    });
  });
}

function failedLine({ commandId, type, reason }: Omit<FailedCommandRecord, "at">): string {
  return `  Failed: ${COMMANDS[type] ?? `a command of type ${type}`} (${commandId}): ${reason}`;
}

const COMMANDS: Readonly<Record<number, string>> = {
  [COMMAND_TYPE.taxRates]: "tax rates",
  [COMMAND_TYPE.timeServer]: "time server",
  [COMMAND_TYPE.verificationUrl]: "address of the QR code",
  [COMMAND_TYPE.proofOfAudit]: "proof of audit",
  [COMMAND_TYPE.configuration]: "configuration",
  [COMMAND_TYPE.directive]: "directive for the card",
};

type Counters = AuditCardRecord["missing"];

/** The service's files, and the sales that the service's store lacks and the store of `--from` has. */
async function* filesFor(
  uid: string,
  source: AuditSource,
  lacks: Counters,
  config: LoadedConfig,
  from: unknown,
): AsyncGenerator<StickFile> {
  yield* source.files(uid);
  if (typeof from !== "string") return;
  const { filesFrom } = await import("../client/audit-source.js");
  const missing = lacks.map((counters) => ({ uid, ...counters }));
  yield* filesFrom(config, from, missing);
}

/** Reads the data folder with the rights of its owner, while the stick is written with those of the caller. */
async function* inFolder(files: AsyncGenerator<StickFile>): AsyncGenerator<StickFile> {
  try {
    for (;;) {
      const next = await asOwner(() => files.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await files.return(undefined);
  }
}

/** Counters of sales that the service's store lacks and that are not on the stick, either. */
function absentIn(names: readonly string[], lacks: Counters): Counters {
  const written = names.map((name) => Number(/-(\d+)\.json$/.exec(name)?.[1])).toSorted((a, b) => a - b);
  return lacks.flatMap(({ from, to }) => {
    const absent: { from: number; to: number }[] = [];
    let next = from;
    for (const counter of written.filter((one) => one >= from && one <= to)) {
      if (counter > next) absent.push({ from: next, to: counter - 1 });
      next = counter + 1;
    }
    if (next <= to) absent.push({ from: next, to });
    return absent;
  });
}

function rangesText(ranges: Counters): string {
  const shown = ranges.slice(0, MOST_NAMED).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  return shown.join(", ") + (ranges.length > MOST_NAMED ? ", ..." : "");
}

function confirmCommand(): Command {
  const about =
    "show changes of rates and addresses, old beside new: say yes to those that wait, and confirm that you have seen those that were made";
  const refuse = "refuse the commands that wait: the tax authority gets them as failed";
  const command = settingsCommand("confirm", about, { "--yes": "do not ask", "--refuse": refuse });
  return command.action((flags: SettingFlags) =>
    withSource(configFrom(flags, true), (source) =>
      confirmAll(source, { yes: flags.yes === true, refuse: flags.refuse === true }),
    ),
  );
}

const MOST_NAMED = 10;

/** Opens an audit of the card in the reader. @returns why none is open: the stick then has only sales */
async function startFor(source: AuditSource, uid: string): Promise<string | undefined> {
  const card = (await source.read()).cards.find((one) => one.uid === uid);
  if (card?.audit) return undefined;
  if (source.url === undefined) return "no service answers";
  if (!card?.inReader) return `the card ${uid} is not in the reader`;
  const { reason } = await source.start(true);
  return reason ?? undefined;
}

function onlyCard({ cards }: AuditsRecord): string {
  const here = cards.find(({ inReader }) => inReader) ?? (cards.length === 1 ? cards[0] : undefined);
  if (here) return here.uid;
  if (cards.length === 0) throw new UserError("the store has no complete sales");
  throw new UserError(`which card? Choose one: --uid ${cards.map(({ uid }) => uid).join(", --uid ")}`);
}

function shownAudits({ cards, configured, unsentLimit }: AuditsRecord, { url }: AuditSource): string[] {
  if (url === undefined) {
    const stored = cards.flatMap((card) => [...cardLines({ ...card, inReader: true }, unsentLimit), ""]);
    return [...(cards.length === 0 ? ["The store has no complete sales.", ""] : stored), STORE_ONLY];
  }
  const lines = cards.flatMap((card) => [...cardLines(card, unsentLimit), ""]);
  if (cards.length === 0) lines.push("There is no card in the reader, and the store has no complete sales.", "");
  if (!configured)
    lines.push("The service has no connection to the tax authority: use tillseal audit export and import.");
  return lines;
}

function cardLines(card: AuditCardRecord, unsentLimit: number): string[] {
  const { uid, inReader, unsent, packages, lastPackage, wrong, lastWrong, refused, missing, failed } = card;
  const { audit, auditDamaged, lastAudit } = card;
  return [
    `Card ${uid}${inReader ? "" : ", not in the reader"}`,
    `  Without a proof of audit: ${count(unsent, "sale")} of ${unsentLimit}`,
    ...(unsent > 0 ? [`  Packages: ${PACKAGES[packages]}${verdict(lastPackage)}`] : []),
    ...(wrong > 0 ? [`  With a problem: ${wrong}${verdict(lastWrong)}`] : []),
    ...refused.map(({ number, reason, at }) => `  Refused by the authority: ${number}, ${minuteText(at)}: ${reason}`),
    ...(refused.length > 0 ? [REFUSED_ADVICE] : []),
    ...(missing.length > 0
      ? [`  Not in this store, without a proof: counters ${rangesText(missing)}`, MISSING_ADVICE]
      : []),
    ...failed.map((command) => `${failedLine(command)}, ${minuteText(command.at)}`),
    audit
      ? `  An audit is open since ${minuteText(audit.startedAt)}, over ${audit.sum}: ${WAITS[audit.waitsFor]}.`
      : `  ${auditDamaged ? AUDIT_DAMAGED : "No audit is open."}`,
    ...(lastAudit ? [`  Last audit: ${OUTCOMES[lastAudit.outcome]}, ${minuteText(lastAudit.endedAt)}`] : []),
  ];
}

const PACKAGES = {
  allSent: "all sent",
  someToSend: "some are still to be sent",
  someDamaged: "some sales are damaged and cannot be sent",
} as const satisfies Record<AuditCardRecord["packages"], string>;

const REFUSED_ADVICE =
  "  While it reaches the authority, the service sends refused packages again each hour, and tillseal audit now at any time. If that does not help, ask the authority; tillseal audit export takes them there on a stick.";

const STILL_OPEN =
  "  The audit is still open: the card has accepted no proof of audit. If the tax authority gives none, ask it which receipts it lacks.";

const MISSING_ADVICE =
  "  tillseal audit export takes them from store.before-restore-* in the data folder, or with --from FILE from another store.";

const AUDIT_DAMAGED = "The record of an audit is damaged: an audit may be open. Start one with tillseal audit now.";

const OUTCOMES = {
  ended: "ended",
  void: "given up: the card had no record of it",
  superseded: "replaced by another one",
} as const;

const WAITS = {
  packages: "it waits until its packages are sent",
  request: "its packages are sent; it waits until the proof is requested",
  proof: "the proof was requested; it waits for the tax authority",
  card: "a proof was sent to the card; it waits for the card's answer",
} as const satisfies Record<OpenAuditRecord["waitsFor"], string>;

function verdict(record: VerdictRecord | null): string {
  if (!record) return "";
  const status = record.status === null ? "the stored sale is damaged" : `status ${record.status}`;
  return `; last ${record.number}: ${status}, ${minuteText(record.at)}`;
}
