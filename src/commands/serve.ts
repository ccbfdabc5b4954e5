/** `tillseal serve`: the service, on an emulated card or a real one. */
import { join } from "node:path";
import { Command } from "commander";
import { pino } from "pino";
import { systemClock } from "../clock.js";
import { loadNamedEnvironment } from "../config/environment.js";
import { ConfigError } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { API_PREFIX } from "../http/endpoints.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import type { CardReader } from "../secure-element/card-reader.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service.js";
import { StoreError } from "../store/database.js";
import { dataDirOf } from "./data-dir.js";
import { loadEmulator } from "./emulator.js";
import { endProcess } from "./end-process.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";
import { UserError } from "./user-error.js";

interface CardSetup {
  readonly reader: CardReader;
  readonly settings: Settings;
  readonly environment: string;
  readonly emulated: boolean;
  /** For people, once it has started. */
  readonly description: () => string;
  /** Whether a card hangs and the process must not wait for it. */
  readonly stuck: () => boolean;
  /** Digits of the emulated card's PIN. */
  readonly pin?: string;
}

export function serveCommand(): Command {
  const command = new Command("serve").description("run the service");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const { settings } = configFrom(flags);
    const setup = settings.card === "emulator" ? await emulatedCard(settings) : realCard(settings);
    const service = new Service({
      settings: setup.settings,
      reader: setup.reader,
      environment: loadNamedEnvironment(setup.environment),
      clock: systemClock,
      log: pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true })),
      authorityReachable: () => setup.emulated,
      testInvoiceByDefault: setup.emulated,
    });
    const url = await startOrExplain(service, settings);
    process.stdout.write(welcome(url, setup));
    stopOnSignal(service, setup.stuck);
  });
}

async function emulatedCard(settings: Settings): Promise<CardSetup> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError("this is the production package: it knows only --card pcsc");
  const stateDir = settings.dataDir === undefined ? {} : { stateDir: join(settings.dataDir, "card") };
  const { reader, profile } = emulator.setUpEmulator({ profile: settings.profile ?? "default", ...stateDir });
  const where =
    settings.dataDir === undefined ? "nothing is kept, --data-dir DIR keeps it" : `kept in ${settings.dataDir}`;
  return {
    reader,
    settings,
    environment: settings.environment ?? "specification",
    emulated: true,
    description: () => `emulated card ${profile.uid} of ${profile.taxpayer.businessName} (${where})`,
    stuck: () => false,
    pin: profile.pin,
  };
}

/** Nothing is emulated and nothing is for trying out: no rates until they are configured, and a store that stays. */
function realCard(settings: Settings): CardSetup {
  const reader = new PcscReader({ reader: settings.reader, probe: selectsSecureElement, resetAtEnd: true });
  return {
    reader,
    settings: { ...settings, dataDir: dataDirOf(settings) },
    environment: settings.environment ?? "none",
    emulated: false,
    description: () => reader.description,
    stuck: () => reader.stuck,
  };
}

async function startOrExplain(service: Service, settings: Settings): Promise<string> {
  try {
    return await service.start();
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
function welcome(url: string, { description, pin }: CardSetup): string {
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

function stopOnSignal(service: Service, stuck: () => boolean): void {
  const stop = () => {
    service.stop().then(
      () => endProcess(0, stuck()),
      (error: unknown) => {
        process.stderr.write(`tillseal: ${error instanceof Error ? error.stack : error}\n`);
        endProcess(1, stuck());
      },
    );
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}
