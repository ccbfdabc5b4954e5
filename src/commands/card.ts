/**
 * `tillseal card`: shows the cards in this machine's readers. In the package for developers, it also offers emulated
 * cards.
 */
import { X509Certificate } from "node:crypto";
import { createInterface } from "node:readline";
import { Command } from "commander";
import { HAS_EMULATOR } from "../base/edition.js";
import { messageOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";
import { ConfigError } from "../config/config-error.js";
import { toFixed } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { PcscModule } from "../secure-element/pcsc/binding.js";
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import type { ReaderStatus } from "../secure-element/pcsc/reader-watch.js";
import type { SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import { needEmulator } from "./emulator.js";
import { onEndSignal } from "./ending.js";
import { addSettingFlags, configFrom, pcscModuleOption } from "./flags.js";
import { complain, notice, printJson, printLines, printTable, sayMissing } from "./terminal.js";

export function cardCommand(): Command {
  const card = new Command("card")
    .description(`cards in this machine's readers${HAS_EMULATOR ? ", and emulated cards" : ""}`)
    .addCommand(cardListCommand())
    .addCommand(cardInfoCommand());
  return HAS_EMULATOR ? card.addCommand(cardPublishCommand()).addCommand(cardMakeKeysCommand()) : card;
}

interface ReaderReport {
  readonly reader: string;
  readonly state: "empty" | "mute" | "card";
  readonly uid: string | null;
  readonly businessName: string | null;
  /** Why the report of a card has no UID; null if it has one, or if there is no card. */
  readonly reason: string | null;
}

function cardListCommand(): Command {
  return new Command("list")
    .description("show the readers of this machine and the cards in them")
    .option("--json", "machine readable")
    .addOption(pcscModuleOption())
    .action(async ({ json = false, pcscModule }: { json?: boolean; pcscModule: PcscModule }) => {
      const { readerFor } = await import("./look-at-card.js");
      const driver = readerFor(undefined, pcscModule);
      await driver.start();
      const { missing, readers, description } = driver;
      await driver.close();
      if (missing && missing !== "no-card") return sayMissing(missing, description, json);
      const reports: ReaderReport[] = [];
      for (const reader of readers) reports.push(await readerReport(reader, pcscModule));
      if (json) printJson({ readers: reports });
      else printLines(reports.map(readerText));
      // Without a card, exit with an error, so that scripts notice it.
      if (missing) {
        if (!json) complain(description);
        process.exitCode = 1;
      }
    });
}

async function readerReport({ name, hasCard, isMute }: ReaderStatus, module: PcscModule): Promise<ReaderReport> {
  const noCard = { reader: name, uid: null, businessName: null, reason: null };
  if (!hasCard) return { ...noCard, state: "empty" };
  if (isMute) return { ...noCard, state: "mute", reason: "it does not answer; is it inserted the right way round?" };
  const { lookAtCard } = await import("./look-at-card.js");
  const state = await lookAtCard(
    name,
    module,
    async (secureElement): Promise<SecureElementState> => secureElement.state,
  );
  if (state.kind !== "ready") return { ...noCard, state: "card", reason: state.reason };
  const { uid, taxpayer } = state.identity;
  return { ...noCard, state: "card", uid, businessName: taxpayer.businessName };
}

function readerText({ reader, state, uid, businessName, reason }: ReaderReport): string {
  if (state === "empty") return `${reader}: empty`;
  return uid === null ? `${reader}: a card, but ${reason}` : `${reader}: card ${uid} of ${businessName ?? ""}`;
}

interface InfoFlags {
  readonly json?: boolean;
  readonly reader?: string;
  readonly pcscModule: PcscModule;
}

function cardInfoCommand(): Command {
  return new Command("info")
    .description("show the card: UID, taxpayer, version, certificate, PIN attempts, sum and limit")
    .option("--json", "machine readable")
    .option("--reader <name>", "name of the reader or a part of it; default: the first reader with a fiscal card")
    .addOption(pcscModuleOption())
    .action(async ({ json = false, reader: name, pcscModule }: InfoFlags) => {
      const { lookAtCard } = await import("./look-at-card.js");
      await lookAtCard(name, pcscModule, async (secureElement, reader) => {
        const { missing } = reader;
        if (missing) return sayMissing(missing, reader.description, json);
        const report = await cardReport(secureElement, reader);
        if (typeof report === "string") return sayMissing("card-error", report, json);
        if (json) printJson(report);
        else printTable(rowsOf(report));
      });
    });
}

type CardReport = Readonly<Record<string, string | number | null>>;

/** The report on the card in the reader, or a sentence that says why there is no report. */
async function cardReport(secureElement: SecureElement, reader: PcscReader): Promise<CardReport | string> {
  const { state } = secureElement;
  if (state.kind !== "ready") return `the card cannot be read: ${state.reason}`;
  const tries = await secureElement.pinTriesLeft();
  const amount = await secureElement.amountStatus();
  const { uid, taxpayer, country, appletVersion, issuer, validFrom, validTo, taxAuthorityApi } = state.identity;
  return {
    reader: reader.description.replace(/^reader /, ""),
    uid,
    ...taxpayer,
    country,
    appletVersion,
    issuer,
    validFrom: toIso(validFrom),
    validTo: toIso(validTo),
    taxAuthorityApi,
    pinTriesLeft: tries.kind === "ok" ? tries.pinTriesLeft : null,
    sum: amount.kind === "ok" ? toFixed(amount.sum, 4) : null,
    limit: amount.kind === "ok" ? toFixed(amount.limit, 4) : null,
  };
}

function rowsOf(report: CardReport): string[][] {
  return Object.entries(report).map(([name, value]) => [name, value === null ? "unknown" : String(value)]);
}

function cardMakeKeysCommand(): Command {
  return new Command("make-keys")
    .description("make the keys of an emulated tax authority and card; the same seed gives the same keys")
    .requiredOption("--seed <text>", "seed of the keys; anyone who knows it can make the same keys")
    .requiredOption("--out <dir>", "folder for the PEM files")
    .action(async ({ seed, out }: { seed: string; out: string }) => {
      const emulator = await needEmulator("emulated cards");
      emulator.makeKeys(seed, out, (line) => notice(`${line}\n`));
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

function cardPublishCommand(): Command {
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
    const opening = emulator.openPublishedCards(config, { host, port });
    const cards = await startOrExplain(opening, settings);
    if (certificate !== undefined) writeCertificate(certificate, cards.cards.named(cards.cards.current).certificate);
    const control = await openControlAt(config, (at) => emulator.openPublishedControl(cards, settings, at));
    const say = (line: string) => printLines([line]);
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
    const commands = new Map<string, () => unknown>([
      ["remove", () => cards.reader.remove()],
      ["insert", () => cards.insert()],
      ["quit", quit],
    ]);
    createInterface({ input: process.stdin }).on("line", (line) => {
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
