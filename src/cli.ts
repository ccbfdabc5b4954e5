#!/usr/bin/env node
/** The command `tillseal`. */
import { Command } from "commander";
import { backupCommand } from "./commands/backup.js";
import { cardCommand } from "./commands/card.js";
import { configCommand } from "./commands/config.js";
import { decodeCommand } from "./commands/decode.js";
import { doctorCommand } from "./commands/doctor.js";
import { environmentCommand } from "./commands/environment.js";
import { doneLooking } from "./commands/look-at-card.js";
import { sampleCommand } from "./commands/sample.js";
import { scenarioCommand } from "./commands/scenario.js";
import { serveCommand } from "./commands/serve.js";
import { statusCommand } from "./commands/status.js";
import { stopCommand } from "./commands/stop.js";
import { UserError } from "./commands/user-error.js";
import { verifyCommand } from "./commands/verify.js";
import { ConfigError } from "./config/load.js";
import { HAS_EMULATOR } from "./edition.js";
import { PACKAGE_VERSION } from "./package-root.js";

const program = new Command("tillseal")
  .description("Local fiscal service for points of sale, with a card emulator")
  .version(PACKAGE_VERSION)
  .addCommand(serveCommand())
  .addCommand(statusCommand())
  .addCommand(stopCommand())
  .addCommand(decodeCommand())
  .addCommand(configCommand())
  .addCommand(environmentCommand())
  .addCommand(doctorCommand())
  .addCommand(backupCommand())
  .addCommand(verifyCommand())
  .addCommand(cardCommand());

// Whoever reads may have had enough, as `head` has. The service sells on, whoever reads.
program.hook("preAction", (_program, command) => {
  process.stdout.on("error", () => command.name() === "serve" || process.exit());
});

if (HAS_EMULATOR) program.addCommand(scenarioCommand()).addCommand(sampleCommand());

try {
  await program.parseAsync();
} catch (error) {
  // What a person did wrong is said in words; anything else is ours and keeps its stack.
  const forPeople = error instanceof UserError || error instanceof ConfigError;
  process.stderr.write(`tillseal: ${forPeople ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
doneLooking();
