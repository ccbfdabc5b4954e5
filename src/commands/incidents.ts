/** `tillseal incidents`: shows reports that a person has to confirm, and sales in doubt that a person has to decide. */
import { Command } from "commander";
import { minuteText } from "../base/terminal-text.js";
import { type ServiceCall, serviceCall } from "../client/call-service.js";
import { ConfigError } from "../config/config-error.js";
import { inEnglish } from "../console/in-english.js";
import type { DoubtRecord, ReportRecord, ReportsRecord } from "../console/records/reports.js";
import { reportTexts, WAY_TEXTS } from "../console/report-texts.js";
import { parseScaled, toFixed } from "../fiscal/money.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { atPlace, STORE_ONLY } from "./place.js";
import { printJson, printLines } from "./terminal.js";

export function incidentsCommand(): Command {
  return new Command("incidents")
    .description("what a person has to confirm, such as lost receipts, and sales in doubt to decide")
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(confirmCommand())
    .addCommand(decideCommand());
}

type Task = (call: ServiceCall, url: string | undefined) => Promise<void>;

function atReports(flags: SettingFlags, purpose: "read" | "change", task: Task) {
  return atPlace(configFrom(flags), purpose, (place) => task(serviceCall(place, "/reports"), place.url));
}

async function reportsIn(call: ServiceCall): Promise<ReportsRecord> {
  return (await call("GET", "")) as ReportsRecord;
}

function listCommand(): Command {
  const about = "show reports and sales in doubt; reads the store if no service runs";
  return settingsCommand("list", about, JSON_FLAG).action(async (flags: SettingFlags) => {
    await atReports(flags, "read", async (call, url) => {
      const record = await reportsIn(call);
      if (flags.json) printJson({ service: url ?? null, ...record });
      else printLines(listed(record, url));
    });
  });
}

function confirmCommand(): Command {
  const about = "confirm that you know of a report and have done what it asks for";
  const command = settingsCommand("confirm", about, { "--all": "confirm all reports" });
  command.argument("[ids...]", "numbers of reports");
  return command.action(async (ids: readonly string[], flags: SettingFlags) => {
    const all = flags.all === true;
    if (all === ids.length > 0) throw new ConfigError("name the reports to confirm, or use --all");
    await atReports(flags, "change", async (call) => {
      const open = (await reportsIn(call)).reports.map(({ id }) => id);
      const unknown = ids.filter((id) => !open.some((one) => String(one) === id));
      if (unknown.length > 0)
        throw new ConfigError(`there is no report ${unknown.join(", ")} to confirm; ${thereAre(open)}`);
      const confirmed = open.filter((id) => all || ids.includes(String(id)));
      if (confirmed.length > 0) await call("POST", "/confirm", { ids: confirmed });
      printLines([confirmed.length > 0 ? `confirmed: ${confirmed.join(", ")}` : "there is nothing to confirm"]);
    });
  });
}

function decideCommand(): Command {
  const about = "decide whether the card has signed a sale in doubt, if the card cannot say it; this is final";
  const command = settingsCommand("decide", about, {
    "--signed": "it was signed: the sale has no receipt, and its RequestId is refused",
    "--not-signed": "it was not signed: the POS can send it again",
  });
  command.argument("<request-id>", "RequestId of the sale, or the name that `tillseal incidents` shows");
  return command.action(async (name: string, flags: SettingFlags) => {
    const signed = flags.signed === true;
    if (signed === (flags.notSigned === true)) throw new ConfigError("use one of --signed and --not-signed");
    await atReports(flags, "change", async (call) => {
      const { id, uid, wayOut } = saleNamed(name, (await reportsIn(call)).inDoubt);
      await call("POST", "/decide", { id, signed });
      const consequence = signed
        ? "recorded as signed, without a receipt. Report it to the tax authority; to sell it again, use a new RequestId"
        : "recorded as not signed. The POS can send it again";
      const later = wayOut === "card" ? `. If the card ${uid} comes back, its own record decides` : "";
      printLines([`${name}: ${consequence}${later}`]);
    });
  });
}

function saleNamed(name: string, sales: readonly DoubtRecord[]): DoubtRecord {
  const [match, ...others] = sales.filter(({ id, requestId }) => name === requestId || name === `sale-${id}`);
  if (!match) throw new ConfigError(`there is no sale ${name} in doubt; ${thereAre(sales.map((sale) => sale.name))}`);
  // A POS may have chosen a RequestId that is also the service's name for another sale.
  if (others.length > 0) throw new ConfigError(`two sales have the name ${name}; decide in the console`);
  return match;
}

function thereAre(names: readonly (string | number)[]): string {
  return names.length === 0 ? "there is none" : `there ${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}

function listed({ inDoubt, reports }: ReportsRecord, url: string | undefined): string[] {
  const lines = [...inDoubt.flatMap((sale) => [...doubtLines(sale, url), ""]), ...reports.flatMap(reportLines)];
  if (lines.length === 0) lines.push("There are no reports to confirm and no sales in doubt.");
  return url === undefined ? [...lines, STORE_ONLY] : lines;
}

function doubtLines({ name, since, totalAmount, uid, requestId, wayOut }: DoubtRecord, url?: string): string[] {
  const decide = `tillseal incidents decide ${name}`;
  return [
    `Sale in doubt: ${name}`,
    `  ${inEnglish("saleInDoubt")}`,
    `  ${facts([totalAmount && toFixed(parseScaled(totalAmount), 2), time(since), `card ${uid}`, requestId && `RequestId ${requestId}`])}`,
    `  ${inEnglish(WAY_TEXTS[wayOut], { uid })}`,
    ...(wayOut === "training" && url !== undefined ? [`  You can do that in the console: ${url}/`] : []),
    `  To decide: ${decide} --signed, or ${decide} --not-signed`,
  ];
}

function reportLines(report: ReportRecord): string[] {
  const { id, uid, from, to, at, requestId } = report;
  const { message, todo } = reportTexts(report);
  return [
    `Report ${id}`,
    `  ${inEnglish(message, { from: from ?? "", to: to ?? "" })}`,
    `  ${facts([time(at), `card ${uid}`, requestId && `RequestId ${requestId}`])}`,
    `  ${inEnglish(todo)}`,
    `  Then: tillseal incidents confirm ${id}`,
    "",
  ];
}

function facts(all: readonly (string | null)[]): string {
  return all.filter((fact) => fact !== null).join(", ");
}

function time(iso: string | null): string | null {
  return iso && `since ${minuteText(iso)}`;
}
