/** `tillseal serve`: the service, on an emulated card or a real one. */
import { join } from "node:path";
import { Command } from "commander";
import { pino } from "pino";
import { systemClock } from "../clock.js";
import { loadNamedEnvironment } from "../config/environment.js";
import { ConfigError } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { HAS_EMULATOR } from "../edition.js";
import { API_PREFIX } from "../http/endpoints.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import type { CardReader } from "../secure-element/card-reader.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service.js";
import { StoreError } from "../store/database.js";
import { dataDirOf } from "./data-dir.js";
import { type EmulatorModule, loadEmulator } from "./emulator.js";
import { endProcess } from "./end-process.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";
import { UserError } from "./user-error.js";

/** A service that is ready to start, and what people are told of it. */
interface Setup {
  /** Returns the base URL. */
  readonly start: () => Promise<string>;
  readonly stop: () => Promise<void>;
  /** For people, once it has started. */
  readonly description: () => string;
  /** Whether a card hangs and the process must not wait for it. */
  readonly stuck: () => boolean;
  /** Digits of the emulated card's PIN. */
  readonly pin?: string;
}

export function serveCommand(): Command {
  const command = new Command("serve").description("run the service");
  if (HAS_EMULATOR) command.option("--scenario <file>", "put the till into the situation of a scenario's `given`");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { settings } = configFrom(flags);
    const setup = await setupOf(settings, typeof flags.scenario === "string" ? flags.scenario : undefined);
    const url = await startOrExplain(setup, settings);
    process.stdout.write(welcome(url, setup));
    stopOnSignal(setup);
  });
}

async function setupOf(settings: Settings, scenario: string | undefined): Promise<Setup> {
  if (settings.card === "pcsc") return realCard(settings);
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError("this is the production package: it knows only --card pcsc");
  return scenario === undefined ? emulatedCard(settings, emulator) : emulator.setUpScenario(scenario, settings);
}

function serviceOf(settings: Settings, reader: CardReader, environment: string, emulated: boolean): Service {
  return new Service({
    settings,
    reader,
    environment: loadNamedEnvironment(environment),
    clock: systemClock,
    log: pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true })),
    authorityReachable: () => emulated,
    testInvoiceByDefault: emulated,
  });
}

function emulatedCard(settings: Settings, emulator: EmulatorModule): Setup {
  const stateDir = settings.dataDir === undefined ? {} : { stateDir: join(settings.dataDir, "card") };
  const { reader, profile } = emulator.setUpEmulator({ profile: settings.profile ?? "default", ...stateDir });
  const service = serviceOf(settings, reader, settings.environment ?? "specification", true);
  const where =
    settings.dataDir === undefined ? "nothing is kept, --data-dir DIR keeps it" : `kept in ${settings.dataDir}`;
  return {
    start: () => service.start(),
    stop: () => service.stop(),
    description: () => `emulated card ${profile.uid} of ${profile.taxpayer.businessName} (${where})`,
    stuck: () => false,
    pin: profile.pin,
  };
}

/** Nothing is emulated and nothing is for trying out: no rates until they are configured, and a store that stays. */
function realCard(settings: Settings): Setup {
  const reader = new PcscReader({ reader: settings.reader, probe: selectsSecureElement, resetAtEnd: true });
  const kept = { ...settings, dataDir: dataDirOf(settings) };
  const service = serviceOf(kept, reader, settings.environment ?? "none", false);
  return {
    start: () => service.start(),
    stop: () => service.stop(),
    description: () => reader.description,
    stuck: () => reader.stuck,
  };
}

async function startOrExplain(setup: Setup, settings: Settings): Promise<string> {
  try {
    return await setup.start();
  } catch (error) {
    if (error instanceof StoreError) throw new ConfigError(error.message);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new UserError(`port ${settings.port} is in use; --port 0 picks a free one, --port N another`);
    }
    if (code === "EACCES") throw new UserError(`port ${settings.port} needs more rights; ports from 1024 on do not`);
    if (code === "EADDRNOTAVAIL") throw new UserError(`host ${settings.host} is not an address of this machine`);
    throw error;
  }
}

/** Five lines: where, which card, the PIN, and a sale that works as pasted. */
function welcome(url: string, { description, pin }: Setup): string {
  const api = url + API_PREFIX;
  const lines = [`tillseal listens on ${api}`, `card: ${description()}`];
  if (pin === undefined) {
    lines.push("verify the PIN, then post invoices:");
    lines.push(`  curl -d PIN ${api}/pin`);
  } else {
    lines.push(`PIN of the emulated card: ${pin}. A first signed invoice:`);
    lines.push(`  curl -s -o /dev/null -d ${pin} ${api}/pin; curl -s -X POST ${api}/test-invoice`);
  }
  lines.push("Ctrl-C stops it");
  return `${lines.join("\n")}\n`;
}

function stopOnSignal({ stop, stuck }: Setup): void {
  const end = () => {
    stop().then(
      () => endProcess(0, stuck()),
      (error: unknown) => {
        process.stderr.write(`tillseal: ${error instanceof Error ? error.stack : error}\n`);
        endProcess(1, stuck());
      },
    );
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
}
