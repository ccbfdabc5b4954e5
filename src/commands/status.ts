/** `tillseal status`: does the service run, and can it sell? */
import { Command } from "commander";
import { verdictOf } from "../console/verdict.js";
import { ENGLISH } from "../console/web/texts/english.js";
import { describeCode, type FiscalCode } from "../fiscal/codes.js";
import { findRunning } from "./find-running.js";
import { printable } from "./printable.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";

export function statusCommand(): Command {
  const command = new Command("status")
    .description("say how the running service stands; exit status 1 where none runs")
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { url, info, till: readTill } = await findRunning(configFrom(flags));
    const till = await readTill();
    const { codes, card, audit, lost, testCard, storeProblem } = till;
    const { sentence, advice } = verdictOf(till);
    const say = (key: keyof typeof ENGLISH) =>
      ENGLISH[key].replaceAll("{lost}", String(lost)).replaceAll("{folder}", storeProblem?.folder ?? "");
    if (flags.json) {
      process.stdout.write(
        `${JSON.stringify({ url, ...info, codes, card: { ...card, kind: info.card }, audit, lost, testCard }, null, 2)}\n`,
      );
      return;
    }
    const lines = [
      `${say(sentence)} ${say(advice)}`,
      ...(testCard && sentence !== "testCard" ? [say("testCardToo")] : []),
      `tillseal ${info.version} runs at ${url} (process ${info.pid})`,
      card.state === "ready"
        ? `card: ${card.uid} of ${card.taxpayer.businessName}, PIN ${card.pin}`
        : `card: ${card.reason}`,
      ...(audit ? [`audit: ${audit.sum} of ${audit.limit}`] : []),
      ...codes.map((code) => `${code} ${describeCode(code as FiscalCode).meaning}`),
    ];
    process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(""));
  });
}
