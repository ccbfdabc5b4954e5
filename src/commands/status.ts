/** `tillseal status`: says whether the service runs and can sell. */
import { Command } from "commander";
import { inEnglish } from "../console/in-english.js";
import type { TillRecord } from "../console/records/till.js";
import { asksPerson, verdictOf } from "../console/verdict.js";
import { describeCode, type FiscalCode } from "../fiscal/codes.js";
import { inEnglish as findingInEnglish } from "../state/texts.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { printJson, printLines } from "./output.js";

export function statusCommand(): Command {
  const command = new Command("status")
    .description("show the state of the running service; exit status 1 if none runs")
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { findRunning } = await import("../client/find-running.js");
    const { url, info, till: readTill } = await findRunning(configFrom(flags));
    const till = await readTill();
    const { codes, card, audit, findings, environment, authority, clock } = till;
    if (flags.json) {
      const state = {
        codes,
        card: { ...card, kind: info.card },
        audit,
        findings,
        environment,
        authority,
        clock,
      };
      printJson({ url, ...info, ...state });
      return;
    }
    const ready = { sentence: inEnglish("ready"), advice: inEnglish("readyAdvice") };
    const { sentence, advice, further } = verdictOf(findings, { text: findingInEnglish, ready });
    const lines = [
      `${sentence} ${advice}`,
      ...further,
      ...(asksPerson(findings) ? ["run tillseal reports to see what happened"] : []),
      `tillseal ${info.version}${info.build === "" ? "" : ` (${info.build})`} runs at ${url} (process ${info.pid})`,
      card.state === "ready"
        ? `card: ${card.uid} of ${card.taxpayer.businessName}, PIN ${card.pin}`
        : `card: ${card.reason}`,
      ...(audit ? [`audit: ${audit.sum} of ${audit.limit}`] : []),
      ...(environment ? [`environment: ${environment.name}, ${sourceOf(environment)}`] : []),
      ...(authority.since === null ? [] : [`tax authority: ${talkOf(authority)}`]),
      ...codes.map((code) => `${code} ${describeCode(code as FiscalCode).meaning}`),
    ];
    printLines(lines);
  });
}

function sourceOf({ file, since }: NonNullable<TillRecord["environment"]>): string {
  return since === null ? `from the file ${file}` : `sent by the tax authority ${since}`;
}

function talkOf({ contact, since, problem }: TillRecord["authority"]): string {
  const answers = contact === "reachable" ? "reachable" : "not reachable";
  return `${answers} since ${since}${problem === null ? "" : `: ${problem}`}`;
}
