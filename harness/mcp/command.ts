/** `tillseal mcp`: runs an emulator for a coding agent. */
import { Command, Option } from "commander";
import { endProcess, onEndSignal } from "../../src/commands/ending.js";
import { portFlag } from "../../src/commands/flags.js";
import { surroundings } from "../../src/commands/surroundings.js";
import { explainFailure } from "../../src/commands/terminal.js";

export function mcpCommand(): Command {
  return new Command("mcp")
    .description("run an emulator that a coding agent drives over the Model Context Protocol (stdio)")
    .addOption(new Option("--port <port>", "port of the service; 0 picks a free one").default(8431).argParser(portFlag))
    .action(async ({ port }: { port: number }) => {
      const { serveAgent } = await import("./serve-agent.js");
      const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
      const server = await startOrExplain(serveAgent(port), { port, host: "localhost" });
      const end = () =>
        server.close().then(
          () => endProcess(0, false),
          (error: unknown) => endProcess(explainFailure(error), false),
        );
      onEndSignal(() => void end());
      // stdin ends when the agent has ended.
      surroundings().stdin.once("end", () => void end());
    });
}
