/**
 * `tillseal backup` and `tillseal restore`. A restored backup becomes the store; the store that was there before is
 * kept beside it.
 */
import type { Command } from "commander";
import { changeText, MOST_CHANGES } from "../authority/configuration-change.js";
import { systemClock } from "../base/clock.js";
import { count } from "../base/count.js";
import { UserError } from "../base/user-error.js";
import type { Brought } from "../bookkeeping/backup/brought.js";
import type { Checked } from "../bookkeeping/backup/restore.js";
import { ConfigError } from "../config/config-error.js";
import { dataDirOf } from "../config/data-dir.js";
import { asCaller } from "../ledger/folder-owner.js";
import type { Restored } from "../ledger/restore.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { findingLine } from "./store.js";
import { surroundings } from "./surroundings.js";
import { agreed, printJson, printLines } from "./terminal.js";

export function backupCommand(): Command {
  const command = settingsCommand("backup", "copy the store to a file, also while the service runs", {
    "--before-upgrade": "copy into before-upgrade in the data folder, and remove all but the last copies there",
  });
  command.argument("[file]", "the copy; must not exist yet");
  return command.action(async (file: string | undefined, flags: SettingFlags) => {
    const { beforeUpgrade, ...rest } = flags;
    if ((file === undefined) !== (beforeUpgrade === true))
      throw new ConfigError("name the copy, or give --before-upgrade");
    const dataDir = dataDirOf(configFrom(rest, file !== undefined).settings);
    const { backupStore } = await import("../ledger/backup.js");
    const { copyBeforeUpgrade } = await import("../bookkeeping/backup/upgrade-copies.js");
    const copy =
      file === undefined
        ? await copyBeforeUpgrade(dataDir, systemClock.now())
        : { file, invoices: await asCaller(() => backupStore(dataDir, file)) };
    printLines([`${copy.file} has ${count(copy.invoices, "invoice")}`]);
  });
}

const MOST_NAMED = 10;

const HELD = "Say yes to them on the page Audit of the console, or with tillseal audit confirm";

const NEXT = [
  "Next: start the service, put the card in and enter the PIN. The service compares card and store. If the card has signed",
  "more sales than the backup has, the service stores the last one if the card can repeat it, and reports the others:",
  '"tillseal incidents" names them.',
];

export function restoreCommand(): Command {
  const about =
    "check a backup and make it the store of the data folder; the service must be stopped, and the present store is kept";
  const command = settingsCommand("restore", about, {
    "--none": "there is no backup: begin a new store, and record that the receipts of the missing one are lost",
    "--damaged": "restore it although something in it is damaged",
    "--yes": "ask nothing: rates and addresses of the backup wait for your yes, and receipts are sent again",
    ...JSON_FLAG,
  });
  command.argument("[file]", "the backup");
  return command.action(async (file: string | undefined, flags: SettingFlags) => {
    const { none, ...rest } = flags;
    if ((file === undefined) !== (none === true)) throw new ConfigError("name the backup, or give --none without one");
    const dataDir = dataDirOf(configFrom(rest, true).settings);
    if (file === undefined) {
      const { replaceLostStore } = await import("../ledger/database.js");
      const lost = replaceLostStore(dataDir, systemClock.now());
      printLines([`${dataDir} has a new store, and records that the receipts of the store ${lost} are lost`, ...NEXT]);
      return;
    }
    const { restoreBackup, DamagedBackup } = await import("../bookkeeping/backup/restore.js");
    const asks = surroundings().stdin.isTTY && flags.yes !== true && flags.json !== true;
    try {
      const restoring = { dataDir, file, at: systemClock.now() };
      const restored = await restoreBackup(restoring, flags.damaged === true, asks ? agreedTo : undefined);
      const { store, kept, inspected } = restored;
      if (flags.json) printJson({ store, backup: file, ...inspected, kept });
      else printLines(linesOf(file, restored));
    } catch (error) {
      throw error instanceof DamagedBackup ? new UserError(refusal(error.message, error.findings)) : error;
    }
  });
}

/** Shows what a backup brings, and asks whether it shall apply. */
async function agreedTo({ cards }: Brought): Promise<boolean> {
  if (cards.length === 0 || cards.some(({ changes }) => changes.length > MOST_CHANGES)) return false;
  for (const { uid, changes, reached } of cards) {
    if (changes.length > 0) printLines([`${uid}: this backup would change rates and addresses:`]);
    printLines(changes.map((one) => `  ${changeText(one)}`));
    if (reached)
      printLines([`${uid}: this backup says: proven or sent up to ${reached.count} of ${reached.of} receipts`]);
  }
  return agreed("Has the tax authority published these rates, and does it have these receipts? Shall this apply?");
}

function linesOf(file: string, { store, kept, inspected }: Restored<Checked>): string[] {
  const { receipts, newest, findings, held, unsent } = inspected;
  const signed = newest?.signedAt ? `, signed ${newest.signedAt}` : "";
  return [
    `${store} was restored from ${file}: ${count(receipts, "receipt")}`,
    newest ? `newest receipt: ${newest.number}, counter ${newest.totalCounter}${signed}` : "it has no receipt",
    ...findings.map(findingLine),
    ...(kept === null ? [] : [`kept: ${kept}`]),
    ...held.map((uid) => `${uid}: rates and addresses of the backup do not apply yet. ${HELD}`),
    ...unsent.map(
      (uid) => `${uid}: receipts that only the backup calls sent or proven count as not sent, and are sent again`,
    ),
    ...NEXT,
    ...(kept === null ? [] : ["Until you have found them, keep the store above."]),
  ];
}

function refusal(message: string, findings: Checked["findings"]): string {
  const more = findings.length - MOST_NAMED;
  return [
    `${message}. Nothing was changed. Use another backup, or restore this one with --damaged:`,
    ...findings.slice(0, MOST_NAMED).map(findingLine),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}
