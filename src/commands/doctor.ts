/** `tillseal doctor`: could a shop sell now, and if not, why? */
import { Command } from "commander";
import { systemClock } from "../clock.js";
import { aboutSetting } from "../config/about-setting.js";
import { dataDirOf } from "../config/data-dir.js";
import { loadNamedEnvironment } from "../config/environment.js";
import type { LoadedConfig } from "../config/load.js";
import { checkCard } from "../doctor/card.js";
import { checkCardAndStore } from "../doctor/card-and-store.js";
import { type Finding, fail, ok } from "../doctor/finding.js";
import { checkDataFolder, checkDisk, checkPort, checkTimeServer } from "../doctor/machine.js";
import { checkStore } from "../doctor/store.js";
import { explainMissing } from "../secure-element/pcsc/missing.js";
import { lookAtCard } from "./look-at-card.js";
import { printable } from "./printable.js";
import { addSettingFlags, configFrom } from "./settings-flags.js";

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description(
      "check reader, card, certificate, clock, disk, port, data folder and store; exit status 1 if a shop could not sell",
    )
    .option("--json", "machine readable");
  return addSettingFlags(command).action(async (flags: Record<string, unknown>) => {
    const findings = await examine(configFrom(flags));
    if (flags.json) process.stdout.write(`${JSON.stringify({ findings }, null, 2)}\n`);
    else {
      const width = Math.max(...findings.map(({ subject }) => subject.length));
      for (const { subject, verdict, message } of findings) {
        process.stdout.write(`${MARKS[verdict]}  ${subject.padEnd(width)}  ${printable(message)}\n`);
      }
    }
    if (findings.some(({ verdict }) => verdict === "fail")) process.exitCode = 1;
  });
}

/** The doctor is about real cards, whatever the settings say: the emulated one is always well. */
async function examine(config: LoadedConfig): Promise<Finding[]> {
  const { settings } = config;
  const dataDir = dataDirOf(settings);
  const environment = aboutSetting("environment", config, () => loadNamedEnvironment(settings.environment ?? "none"));
  return [
    ...(await readerAndCard(settings.reader, dataDir)),
    environment
      ? ok("tax rates", `environment ${environment.parameters.environmentName}`)
      : fail("tax rates", "none are configured; the setting `environment` names the file"),
    await checkTimeServer(environment?.parameters.ntpServer, systemClock),
    await checkPort(settings.host, settings.port),
    checkDataFolder(dataDir),
    checkDisk(dataDir),
    ...checkStore(dataDir),
  ];
}

function readerAndCard(name: string | undefined, dataDir: string): Promise<Finding[]> {
  return lookAtCard(name, async (secureElement, reader) => {
    const { missing } = reader;
    if (missing === "no-module" || missing === "no-service") return [fail("PC/SC", explainMissing(missing, name))];
    const service = ok("PC/SC", "the service runs");
    if (missing === "no-reader") return [service, fail("reader", explainMissing(missing, name))];
    const found = reader.readers.map((status) => status.name).join(", ");
    if (missing === "no-card") return [service, ok("reader", found), fail("card", explainMissing(missing, name))];
    const card = await checkCard(secureElement, systemClock.now());
    return [service, ok("reader", found), ...card, ...(await checkCardAndStore(secureElement, dataDir))];
  });
}
