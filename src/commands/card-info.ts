/** `tillseal card info`: the card's identity and state, without a PIN. */
import { Command } from "commander";
import { toFixed } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { PcscModule } from "../secure-element/pcsc/binding.js";
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { pcscModuleOption } from "./pcsc-module-option.js";
import { printJson, printTable } from "./print.js";
import { sayMissing } from "./say-missing.js";

interface InfoFlags {
  readonly json?: boolean;
  readonly reader?: string;
  readonly pcscModule: PcscModule;
}

export function cardInfoCommand(): Command {
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
        const report = await reportOf(secureElement, reader);
        if (typeof report === "string") return sayMissing("card-error", report, json);
        if (json) printJson(report);
        else printTable(rowsOf(report));
      });
    });
}

type Report = Readonly<Record<string, string | number | null>>;

/** The report, or why there is none. */
async function reportOf(secureElement: SecureElement, reader: PcscReader): Promise<Report | string> {
  const { state } = secureElement;
  if (state.card !== "ready") return `the card cannot be read: ${state.reason}`;
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

function rowsOf(report: Report): string[][] {
  return Object.entries(report).map(([name, value]) => [name, value === null ? "unknown" : String(value)]);
}
