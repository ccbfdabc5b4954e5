/** The service on a real card. Nothing is emulated and nothing is for trying out: no rates until they are configured, and a store that stays. */
import { pino } from "pino";
import { systemClock } from "../clock.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import type { Settings } from "../config/settings.js";
import { selectsSecureElement } from "../secure-element/apdu/card-session.js";
import { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { Service } from "../service.js";
import { loadEmulator } from "./emulator.js";
import { Restarter } from "./restarter.js";
import { noLongerRecorded, type Running, type Starting } from "./running.js";
import { startOrExplain } from "./start-or-explain.js";

export async function serveCard(settings: Settings, { load, gaveUp, listens }: Starting): Promise<Running> {
  let inForce = settings;
  const restartWith = async (changed: Settings) => {
    // A port that was picked stays: nobody has asked for another one.
    const port = changed.port === inForce.port ? Number(new URL(card.service.url).port) : changed.port;
    await card.service.stop();
    card = await openCard({ ...changed, port }, desk);
    inForce = changed;
    listens(card.service.url);
  };
  const desk = new Restarter(settings, load, restartWith, gaveUp);
  let card = await openCard(settings, desk);
  return {
    url: card.service.url,
    card: card.reader.description,
    stop: async () => {
      await desk.settled();
      await card.service.stop();
    },
    stuck: () => card.reader.stuck,
  };
}

async function openCard(settings: Settings, desk: Restarter) {
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
    settingsDesk: desk,
    ...(recorder ? { hooks: { before: recorder.before } } : {}),
  });
  await startOrExplain(service.start(), settings);
  try {
    if (record !== undefined) recorder?.start(settings, record, service.secureElement, noLongerRecorded);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return { service, reader };
}
