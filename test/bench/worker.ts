/**
 * Runs in its own process, because V8 makes code faster the longer a process lives: does as many pieces of its kind as
 * a message asks for, and answers with their number and the CPU time of one of them, in ms.
 */
import { createEmulator } from "../../harness/testkit.js";

type Piece = () => Promise<unknown>;

function* emulators(): Generator<Piece> {
  for (;;) yield async () => (await createEmulator()).close();
}

async function scenarios(): Promise<Iterator<Piece>> {
  const { loadScenarios, scenarioFiles } = await import("../../harness/scenario/load.js");
  const { play } = await import("../../harness/scenario/play.js");
  const { openWorldStage } = await import("../../harness/scenario/world-stage.js");
  const { SHIPPED_SCENARIOS } = await import("../../emulator/world/given-file.js");
  const shipped = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);
  return shipped.map((scenario) => () => play(scenario, openWorldStage())).values();
}

const pieces = process.argv[2] === "emulator" ? emulators() : await scenarios();

async function slice(wanted: number): Promise<{ count: number; ms: number }> {
  const began = process.cpuUsage();
  let count = 0;
  for (; count < wanted; count++) {
    const next = pieces.next();
    if (next.done) break;
    await next.value();
  }
  const { user, system } = process.cpuUsage(began);
  return { count, ms: (user + system) / 1000 };
}

process.on("message", (wanted: number) => void slice(wanted).then((done) => process.send?.(done)));
