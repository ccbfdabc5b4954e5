/** `tillseal card publish`: an emulated card in the system's virtual reader, for any program that uses PC/SC. */
import { X509Certificate } from "node:crypto";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { messageOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";
import { ConfigError } from "../config/config-error.js";
import { onEndSignal } from "./ending.js";
import { addSettingFlags, configFrom } from "./flags.js";
import { needEmulator } from "./need-emulator.js";

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
    const emulator = await needEmulator("emulated cards");
    const { openControlAt } = await import("./start-or-explain.js");
    const { startOrExplain } = await import("./start-or-explain.js");
    const config = configFrom(flags);
    const { settings } = config;
    if (host === "") throw new ConfigError("--vpcd-host is empty; expected a host name or an address");
    const port = portOf(vpcdPort, emulator.VPCD_PORT);
    const opening = (async () => emulator.openPublishedCards(config, { host, port }))();
    const cards = await startOrExplain(opening, settings);
    if (certificate !== undefined) writeCertificate(certificate, cards.cards.named(cards.cards.current).certificate);
    const control = await openControlAt(config, (at) => emulator.openPublishedControl(cards, settings, at));
    const say = (line: string) => process.stdout.write(`${line}\n`);
    const { dataDir } = settings;
    const kept = dataDir === undefined ? "is temporary; use --data-dir DIR to keep it" : `is kept in ${dataDir}`;
    say(`the state of the card ${kept}`);
    say(`control interface of the card: ${control.url}/control`);
    const { published } = cards;
    const profile = () => cards.cards.named(cards.cards.current).profile;
    published.on("connected", () => say(`card ${profile().uid} is in the virtual reader; its PIN is ${profile().pin}`));
    published.on("closed", () => say(`card ${profile().uid} is out of the virtual reader`));
    const quit = async () => {
      await control.close();
      await cards.close();
      process.exit(0);
    };
    onEndSignal(() => void quit());
    const commands: Record<string, () => unknown> = {
      remove: () => cards.reader.remove(),
      insert: () => cards.insert(),
      quit,
    };
    createInterface({ input: process.stdin }).on("line", (line) => {
      const command = commands[line.trim()];
      if (command) command();
      else if (line.trim() !== "") say("commands: remove, insert, quit");
    });
    await cards.start();
    if (cards.reader.card && !cards.card) say(`nothing answers on ${host}:${port} yet: ${HELP}`);
  });
}

/** @param der X.509 @throws ConfigError */
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
