/** `tillseal serve`: the service, on an emulated card or a real one. */
import { Command } from "commander";
import { pino } from "pino";
import { systemClock } from "../clock.js";
import { loadNamedEnvironment } from "../config/environment.js";
import { ConfigError, type LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { API_PREFIX } from "../http/endpoints.js";
import type { Address } from "../http/listen.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service.js";
import { StoreError } from "../store/database.js";
import { dataDirOf } from "./data-dir.js";
import { type EmulatorModule, loadEmulator } from "./emulator.js";
import { endProcess } from "./end-process.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";
import { UserError } from "./user-error.js";

/** A service that listens. */
interface Running {
  readonly url: string;
  /** For people. */
  readonly card: string;
  /** Digits of the emulated card's PIN. */
  readonly pin?: string;
  /** Address of the emulator's control interface. */
  readonly control?: string;
  stop(): Promise<void>;
  /** Whether a card hangs and the process must not wait for it. */
  stuck(): boolean;
}

export function serveCommand(): Command {
  const command = new Command("serve").description("run the service");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const config = configFrom(flags);
    const running = config.settings.card === "emulator" ? await emulatedCard(config) : await realCard(config.settings);
    process.stdout.write(welcome(running));
    stopOnSignal(running);
  });
}

async function emulatedCard(config: LoadedConfig): Promise<Running> {
  const emulator = await loadEmulator();
  if (!emulator) throw new UserError("this is the production package: it knows only --card pcsc");
  const world = await startOrExplain(emulator.openWorld(config.settings), config.settings);
  try {
    return await driven(emulator, world, config);
  } catch (error) {
    await world.close();
    throw error;
  }
}

type EmulatedWorld = Awaited<ReturnType<EmulatorModule["openWorld"]>>;

/** The world with its control interface, and recorded where that is asked for. */
async function driven(
  emulator: EmulatorModule,
  world: EmulatedWorld,
  { settings, sources }: LoadedConfig,
): Promise<Running> {
  const { controlPort = 0, controlHost = "", record } = settings;
  const recording = record === undefined ? undefined : emulator.recordWorld(world, record, noLongerRecorded);
  const asked = sources.get("controlPort") !== "default";
  const openControl = (port: number) => emulator.openControl(world, settings, port, recording);
  const opening = openControl(controlPort).catch((error: unknown) => {
    // Nobody asked for this port: another emulator on the machine is no reason to stop.
    if (!asked && codeOf(error) === "EADDRINUSE") return openControl(0);
    throw error;
  });
  const address = { port: controlPort, host: controlHost };
  const control = await startOrExplain(opening, address, "control-");
  const { profile } = world.cardNamed(world.cardName);
  const where =
    settings.dataDir === undefined ? "nothing is kept, --data-dir DIR keeps it" : `kept in ${settings.dataDir}`;
  const outside = world.card ? "" : ", not in the reader";
  return {
    url: world.url,
    card: `emulated card ${profile.uid} of ${profile.taxpayer.businessName}${outside} (${where})`,
    pin: profile.pin,
    control: control.url,
    stop: async () => {
      await control.close();
      await world.close();
    },
    stuck: () => false,
  };
}

/** Nothing is emulated and nothing is for trying out: no rates until they are configured, and a store that stays. */
async function realCard(settings: Settings): Promise<Running> {
  const { record } = settings;
  const emulator = record === undefined ? undefined : await loadEmulator();
  const recorder = emulator && new emulator.CardRecorder();
  const reader = new PcscReader({ reader: settings.reader, probe: selectsSecureElement, resetAtEnd: true });
  const service = new Service({
    settings: { ...settings, dataDir: dataDirOf(settings) },
    reader,
    environment: loadNamedEnvironment(settings.environment ?? "none"),
    clock: systemClock,
    log: pino({ level: settings.logLevel }, pino.destination({ fd: 2, sync: true })),
    authorityReachable: () => false,
    testInvoiceByDefault: false,
    ...(recorder ? { hooks: { before: recorder.before } } : {}),
  });
  const url = await startOrExplain(service.start(), settings);
  try {
    if (record !== undefined) recorder?.start(settings, record, service.secureElement, noLongerRecorded);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return { url, card: reader.description, stop: () => service.stop(), stuck: () => reader.stuck };
}

/** @param prefix of the flags that name the address */
async function startOrExplain<T>(starting: Promise<T>, { port, host }: Address, prefix = ""): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof StoreError) throw new ConfigError(error.message);
    const code = codeOf(error);
    if (code === "EADDRINUSE") {
      throw new UserError(`port ${port} is in use; --${prefix}port 0 picks a free one, --${prefix}port N another`);
    }
    if (code === "EACCES" && isAboutListening(error)) {
      throw new UserError(`port ${port} needs more rights; ports from 1024 on do not`);
    }
    if (code === "EACCES" || code === "EROFS") {
      throw new UserError(`the data folder cannot be written: ${error instanceof Error ? error.message : error}`);
    }
    if (code === "EADDRNOTAVAIL") throw new UserError(`host ${host} is not an address of this machine`);
    throw error;
  }
}

function noLongerRecorded(reason: string): void {
  process.stderr.write(`tillseal: nothing is recorded any more: ${reason}\n`);
}

function isAboutListening(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "listen";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Five lines: where, which card, the PIN, and a sale that works as pasted. */
function welcome({ url, card, pin, control }: Running): string {
  const api = url + API_PREFIX;
  const lines = [`tillseal listens on ${api}`, `card: ${card}`];
  if (pin === undefined) {
    lines.push("verify the PIN, then post invoices:");
    lines.push(`  curl -d PIN ${api}/pin`);
  } else {
    lines.push(`PIN of the emulated card: ${pin}. A first signed invoice:`);
    lines.push(`  curl -s -o /dev/null -d ${pin} ${api}/pin; curl -s -X POST ${api}/test-invoice`);
  }
  const driven = control === undefined ? "" : `${control}/control drives the emulated card. `;
  lines.push(`${driven}Ctrl-C stops it`);
  return `${lines.join("\n")}\n`;
}

function stopOnSignal({ stop: stopAll, stuck }: Running): void {
  const stop = () => {
    stopAll().then(
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
