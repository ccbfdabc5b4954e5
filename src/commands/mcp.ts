/** `tillseal mcp`: an emulator for coding agents. */
import { Command, Option } from "commander";
import { endProcess, onEndSignal } from "./ending.js";
import { portFlag } from "./flags.js";
import { needEmulator } from "./need-emulator.js";
import { explainFailure } from "./output.js";

export function mcpCommand(): Command {
  return new Command("mcp")
    .description("run an emulator that a coding agent drives over the Model Context Protocol (stdio)")
    .addOption(new Option("--port <port>", "port of the service; 0 picks a free one").default(8431).argParser(portFlag))
    .action(async ({ port }: { port: number }) => {
      const emulator = await needEmulator("server for coding agents");
      const { startOrExplain } = await import("./start-or-explain.js");
      const server = await startOrExplain(emulator.serveAgent(port), { port, host: "localhost" });
      const end = () =>
        server.close().then(
          () => endProcess(0, false),
          (error: unknown) => endProcess(explainFailure(error), false),
        );
      onEndSignal(() => void end());
      // The agent has gone.
      process.stdin.once("end", () => void end());
    });
}
