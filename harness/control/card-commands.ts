/** The commands of `tillseal card` for emulated cards. */
import { X509Certificate } from "node:crypto";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { messageOf } from "../../src/base/thrown.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { endProcess, onEndSignal } from "../../src/commands/ending.js";
import { addSettingFlags, configFrom } from "../../src/commands/flags.js";
import { surroundings } from "../../src/commands/surroundings.js";
import { printLines } from "../../src/commands/terminal.js";
import { ConfigError } from "../../src/config/config-error.js";

export function cardMakeKeysCommand(): Command {
  return new Command("make-keys")
    .description("make the keys of an emulated tax authority and card")
    .requiredOption("--out <dir>", "folder for the PEM files")
    .action(async ({ out }: { out: string }) => {
      const { makeKeys } = await import("../../emulator/pki/keys.js");
      makeKeys(out);
      printLines([`wrote keys for tests to ${out}`]);
    });
}

const HELP = "is pcscd with its virtual reader running? On Debian: apt-get install pcscd vsmartcard-vpcd";
const SETTINGS = [
  ...(["profile", "scenario", "dataDir", "controlPort", "controlHost"] as const),
  ...(["allowedHosts", "allowedOrigins", "logLevel"] as const),
];

interface VpcdFlags {
  readonly vpcdHost: string;
  readonly vpcdPort?: string;
  readonly certificate?: string;
}

export function cardPublishCommand(): Command {
  const command = new Command("publish")
    .description(
      "put an emulated card into the system's virtual reader, until Ctrl-C; standard input takes remove, insert and quit",
    )
    .option("--vpcd-host <host>", "where pcscd runs with the virtual reader", "127.0.0.1")
    .option("--vpcd-port <port>", "TCP port of the virtual reader's slot")
    .option(
      "--certificate <file>",
      "write the card's certificate there, PEM: tillseal authority registers the card by it",
    );
  return addSettingFlags(command, SETTINGS).action(async (given: VpcdFlags) => {
    const { vpcdHost: host, vpcdPort, certificate, ...flags } = given;
    const { openPublishedCards, openPublishedControl, VPCD_PORT } = await import("./publish.js");
    const { openControlAt } = await import("./control-server.js");
    const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
    const config = configFrom(flags);
    const { settings } = config;
    if (host === "") throw new ConfigError("--vpcd-host is empty; expected a host name or an address");
    const port = portOf(vpcdPort, VPCD_PORT);
    const opening = openPublishedCards(config, { host, port });
    const cards = await startOrExplain(opening, settings);
    if (certificate !== undefined) writeCertificate(certificate, cards.cards.named(cards.cards.current).certificate);
    const control = await openControlAt(config, (at) => openPublishedControl(cards, settings, at));
    const say = (line: string) => printLines([line]);
    const { dataDir } = settings;
    const kept = dataDir === undefined ? "is temporary; use --data-dir DIR to keep it" : `is kept in ${dataDir}`;
    say(`the state of the card ${kept}`);
    say(`control interface of the card: ${control.url}/control`);
    const { link } = cards.published;
    const profile = () => cards.cards.named(cards.cards.current).profile;
    link.on("connected", () => say(`card ${profile().uid} is in the virtual reader; its PIN is ${profile().pin}`));
    link.on("closed", () => say(`card ${profile().uid} is out of the virtual reader`));
    const quit = async () => {
      await control.close();
      await cards.close();
      endProcess(0, false);
    };
    onEndSignal(() => void quit());
    const commands = new Map<string, () => unknown>([
      ["remove", () => cards.reader.remove()],
      ["insert", () => cards.insert()],
      ["quit", quit],
    ]);
    createInterface({ input: surroundings().stdin }).on("line", (line) => {
      const command = commands.get(line.trim());
      if (command) command();
      else if (line.trim() !== "") say("commands: remove, insert, quit");
    });
    await cards.start();
    if (cards.reader.card && !cards.card) say(`nothing answers on ${host}:${port} yet: ${HELP}`);
  });
}

/** Writes a certificate as PEM. @param der the certificate (X.509) @throws ConfigError */
function writeCertificate(file: string, der: Uint8Array): void {
  try {
    writeDurably(file, new X509Certificate(der).toString());
  } catch (error) {
    throw new ConfigError(`--certificate ${file} cannot be written: ${messageOf(error)}`);
  }
}

function portOf(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port <= 65_535) return port;
  throw new ConfigError(`--vpcd-port is ${text}; expected a number from 1 to 65535`);
}
