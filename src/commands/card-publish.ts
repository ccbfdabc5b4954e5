/** `tillseal card publish`: an emulated card in the system's virtual reader, for any program that uses PC/SC. */
import { createInterface } from "node:readline";
import { Command } from "commander";
import { loadEmulator } from "./emulator.js";
import { UserError } from "./user-error.js";

const HELP = "is pcscd with its virtual reader running? On Debian: apt-get install pcscd vsmartcard-vpcd";

export function cardPublishCommand(): Command {
  return new Command("publish")
    .description("put an emulated card into the system's virtual reader, until Ctrl-C; reads remove, insert and quit")
    .option("--profile <profile>", "profile of the card: a file, or the name of one in fixtures/profiles", "default")
    .option("--vpcd-host <host>", "where pcscd runs with the virtual reader", "127.0.0.1")
    .option("--vpcd-port <port>", "TCP port of the virtual reader's slot")
    .action(async ({ profile, vpcdHost: host, vpcdPort }: { profile: string; vpcdHost: string; vpcdPort?: string }) => {
      const emulator = await loadEmulator();
      if (!emulator) throw new UserError("this is the production package, it has no emulated cards");
      const port = portOf(vpcdPort, emulator.VPCD_PORT);
      const card = emulator.loadCard({ profile });
      const link = new emulator.VpcdLink(card, { host, port });
      const { uid, pin } = card.profile;
      const say = (line: string) => process.stdout.write(`${line}\n`);
      link.on("connected", () => say(`card ${uid} is in the virtual reader, its PIN is ${pin}`));
      link.on("closed", () => say(`card ${uid} is out of the virtual reader`));
      const waiting = setTimeout(() => say(`nothing answers on ${host}:${port} yet: ${HELP}`), 1_000);
      link.once("connected", () => clearTimeout(waiting));
      const quit = async () => {
        await link.remove();
        process.exit(0);
      };
      process.once("SIGINT", () => void quit());
      process.once("SIGTERM", () => void quit());
      const commands: Record<string, () => Promise<void>> = {
        remove: () => link.remove(),
        insert: () => link.insert(),
        quit,
      };
      createInterface({ input: process.stdin }).on("line", (line) => {
        const command = commands[line.trim()];
        if (command) void command();
        else if (line.trim() !== "") say("commands: remove, insert, quit");
      });
      await link.insert();
    });
}

function portOf(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= 65_535) return port;
  throw new UserError(`--vpcd-port is ${text}; expected a number from 1 to 65535`);
}
