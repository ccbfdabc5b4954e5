/**
 * Plugins of StrykerJS: chooses the changes that are tried, because all of them take a day on two cores, and writes each result as
 * soon as it is known, because a run may be ended early. The same seed chooses the same changes.
 */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";

const { MUTATION_SEED, MUTATION_SHARE, MUTATION_RESULTS } = process.env;

class Sample {
  async init() {}

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, isChosen(mutant) ? CHOSEN : NOT_CHOSEN]));
  }
}

const CHOSEN = { status: "passed" };
const NOT_CHOSEN = { status: "compileError", reason: "not chosen" };

function isChosen({ fileName, location: { start, end }, replacement }) {
  const name = fileName.replaceAll("\\", "/").slice(fileName.lastIndexOf("src"));
  const place = [MUTATION_SEED, name, start.line, start.column, end.line, end.column, replacement].join(":");
  return createHash("sha256").update(place).digest().readUInt32BE(0) / 2 ** 32 < Number(MUTATION_SHARE);
}

class Lines {
  onMutantTested({ status, fileName, location: { start }, mutatorName, replacement }) {
    if (status === "CompileError") return;
    const result = { status, place: `${fileName}:${start.line}:${start.column}`, mutatorName, replacement };
    appendFileSync(MUTATION_RESULTS, `${JSON.stringify(result)}\n`);
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Checker, "sample", Sample),
  declareClassPlugin(PluginKind.Reporter, "lines", Lines),
];
