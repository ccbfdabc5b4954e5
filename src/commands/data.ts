/** `tillseal data export` exports receipts in an open format; `tillseal data erase` erases old receipts. */
import { Command } from "commander";
import { count } from "../base/count.js";
import { EXIT } from "../base/user-error.js";
import type { ErasureCount } from "../bookkeeping/eraser.js";
import { callService } from "../client/call-service.js";
import { ConfigError } from "../config/config-error.js";
import { dataDirOf } from "../config/data-dir.js";
import { parseTime, toIso } from "../fiscal/time.js";
import { asCaller } from "../ledger/folder-owner.js";
import type { EntryState } from "../ledger/ledger.js";
import { ALWAYS } from "../ledger/period.js";
import { addSettingFlags, configFrom, type SettingFlags, settingsCommand } from "./flags.js";
import { atPlace } from "./place.js";
import { endWith, surroundings } from "./surroundings.js";
import { agreed, complain, printLines } from "./terminal.js";

type DataFlags = SettingFlags & { readonly [N in "from" | "to" | "before" | "buyer"]?: string };

export function dataCommand(): Command {
  return new Command("data")
    .description("export receipts in an open format, or erase old ones")
    .addCommand(exportCommand())
    .addCommand(eraseCommand());
}

function exportCommand(): Command {
  const about = "write receipts into a new folder: JSON lines, and the journals as text; also while the service runs";
  const command = settingsCommand("export", about, {
    "--from <date>": "signed at or after: a day such as 2026-01-01, which begins at midnight UTC, or a time",
    "--to <date>": "signed before",
    "--buyer <id>": "only receipts with this buyerId",
  });
  command.argument("<folder>", "must not exist yet");
  return command.action(async (folder: string, flags: DataFlags) => {
    const wanted = { from: timeOf(flags, "from"), to: timeOf(flags, "to"), buyer: flags.buyer };
    const dataDir = dataDirOf(configFrom(flags, true).settings);
    const { exportData } = await import("../bookkeeping/export-data.js");
    const { StoreReading } = await import("../ledger/store-reading.js");
    const exported = StoreReading.open(dataDir).use((store) => asCaller(() => exportData(store, folder, wanted)));
    const { sales, unreadable } = exported;
    const others = WITHOUT_RECEIPT.flatMap(([state, text]) => (sales[state] ? [`${sales[state]} ${text}`] : []));
    printLines([
      `wrote ${count(sales.complete ?? 0, "receipt")} to ${folder}`,
      ...(others.length === 0 ? [] : [`also sales without a receipt in this store: ${others.join(", ")}`]),
    ]);
    if (unreadable === 0) return;
    complain(`left out ${count(unreadable, "damaged receipt")}; tillseal verify lists them`);
    endWith(EXIT.failed);
  });
}

/** The states in which this store has no receipt of a sale. */
const WITHOUT_RECEIPT = Object.entries({
  intent: "in doubt, or being signed",
  lost: "whose signature is lost",
  unproven: "whose signature is not proven",
  adopted: "that only the card has repeated",
  erased: "erased",
} satisfies Record<Exclude<EntryState, "complete">, string>) as [Exclude<EntryState, "complete">, string][];

function eraseCommand(): Command {
  const command = new Command("erase")
    .description("erase receipts for good that a proof of audit covers; asks first")
    .requiredOption(
      "--before <date>",
      "signed before: a day such as 2016-01-01, which begins at midnight UTC, or a time",
    )
    .option("--yes", "do not ask");
  return addSettingFlags(command).action(async (flags: DataFlags) => {
    const before = timeOf(flags, "before") ?? ALWAYS.from;
    await atPlace(configFrom(flags), "change", async (place) => {
      const call = (method: "GET" | "POST", path: string, body?: object) =>
        // Set no time limit, because a million receipts take long.
        callService(place, method, `/data${path}`, body, Number.POSITIVE_INFINITY).then((answer) => answer.json());
      const counted = await call("GET", `/erasable?before=${toIso(before)}`);
      const { older, erasable } = counted as ErasureCount;
      const kept = older - erasable;
      const stay = kept === 0 ? "" : `; ${kept} are kept: no proof of audit covers them, or they are still needed`;
      printLines([
        `${count(older, "receipt")} signed before ${toIso(before)}. ${erasable} of them can be erased${stay}`,
      ]);
      if (erasable === 0) return;
      if (!flags.yes && !surroundings().stdin.isTTY)
        throw new ConfigError("nothing was erased: without a terminal to ask on, add --yes");
      const question = `Erase ${count(erasable, "receipt")} for good? Older backups still have them.`;
      if (!flags.yes && !(await agreed(question))) {
        printLines(["nothing was erased"]);
        return endWith(EXIT.failed);
      }
      const { erased } = (await call("POST", "/erase", { before: toIso(before) })) as { erased: number };
      const trace =
        place.url === undefined
          ? "The store has no content of them"
          : "The service removes the last traces from its write-ahead log in the next pause of 3 s between sales";
      printLines([`Erased ${count(erased, "receipt")}. ${trace}`]);
    });
  });
}

/** The time in a flag: ms since the epoch. @throws ConfigError if the flag's text is not a time */
function timeOf(flags: DataFlags, name: "from" | "to" | "before"): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const time = parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) {
    throw new ConfigError(`--${name} is ${JSON.stringify(text)}; expected a day such as 2016-01-01, or a time`);
  }
  return time;
}
