/** Runs `tillseal approval`. */
import { writeFileSync } from "node:fs";
import { SHIPPED_SCENARIOS } from "../../emulator/world/shipped-folder.js";
import { versionText } from "../../src/base/build.js";
import { systemClock } from "../../src/base/clock.js";
import { tableLines } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";
import { toIso } from "../../src/fiscal/time.js";
import {
  type ApprovalOutcome,
  approvalHtml,
  approvalResults,
  approvalScenarios,
  approvalSummary,
} from "../conformance/approval-report.js";
import { loadScenarios, scenarioFiles } from "../scenario/load.js";
import type { Played } from "../scenario/play.js";
import { runScenarios } from "../scenario/run.js";
import { PARALLEL } from "../scenario/run-files.js";
import { WorldStage } from "../scenario/world-stage.js";

export interface RunApproval {
  /** File for the report; undefined if no report is wanted. */
  readonly file: string | undefined;
  readonly write: (text: string) => void;
}

/**
 * Plays each acceptance case in a new world.
 * @returns the outcome of each row
 * @throws ConfigError if the report cannot be written
 */
export async function runApproval(report: RunApproval): Promise<readonly ApprovalOutcome[]> {
  const scenarios = approvalScenarios(scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios));
  const open = ({ given }: (typeof scenarios)[number]) => WorldStage.open(given, { realTime: false });
  return reportApproval(await runScenarios(scenarios, open, { bail: false, parallel: PARALLEL }), report);
}

/** @throws ConfigError if the report cannot be written */
export function reportApproval(played: readonly Played[], { file, write }: RunApproval): readonly ApprovalOutcome[] {
  const results = approvalResults(played);
  const rows = results.map(({ row: { id, asks }, outcome }) => [id, outcome, asks]);
  write(`${tableLines(rows).join("\n")}\n\n${approvalSummary(results)}\n`);
  if (file !== undefined) {
    const about = { version: versionText(), at: toIso(systemClock.now()) };
    try {
      writeFileSync(file, approvalHtml(results, about));
    } catch (error) {
      throw new ConfigError(`--html ${file} cannot be written: ${messageOf(error)}`);
    }
  }
  return results.map(({ outcome }) => outcome);
}
