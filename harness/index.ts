/**
 * What the program loads of the harness and the emulator. Every command loads this file, so it has only command lines.
 * They load later what they run.
 */
import type { Command } from "commander";
import { authorityCommand } from "../emulator/tax-authority/command.js";
import type { Running, Starting } from "../src/commands/running.js";
import type { LoadedConfig } from "../src/config/load.js";
import { conformanceCommand } from "./conformance/command.js";
import { cardMakeKeysCommand, cardPublishCommand } from "./control/card-commands.js";
import type { CardRecorder } from "./control/card-recorder.js";
import { snapshotCommand } from "./control/snapshot-command.js";
import { mcpCommand } from "./mcp/command.js";
import { proxyCommand } from "./proxy/command.js";
import { sampleCommand } from "./sample/command.js";
import { scenarioCommand } from "./scenario/command.js";
import { expectCommand, rehearseCommand } from "./watch/command.js";

export { previewOf } from "../emulator/card/preview.js";

/** @param card the command `tillseal card`, which gets the commands for emulated cards */
export function addCommands(program: Command, card: Command): void {
  card.addCommand(cardPublishCommand()).addCommand(cardMakeKeysCommand());
  program
    .addCommand(scenarioCommand().addCommand(expectCommand()))
    .addCommand(conformanceCommand())
    .addCommand(rehearseCommand())
    .addCommand(mcpCommand())
    .addCommand(proxyCommand())
    .addCommand(sampleCommand())
    .addCommand(snapshotCommand())
    .addCommand(authorityCommand());
}

export async function serveEmulator(config: LoadedConfig, starting: Starting): Promise<Running> {
  const { serveEmulator: serve } = await import("./control/serve-emulator.js");
  return serve(config, starting);
}

export async function openRecorder(): Promise<CardRecorder> {
  const { CardRecorder: Recorder } = await import("./control/card-recorder.js");
  return new Recorder();
}
