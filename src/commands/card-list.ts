/** `tillseal card list`: the readers of this machine and the cards in them. */
import { Command } from "commander";
import type { PcscModule } from "../secure-element/pcsc/binding.js";
import type { ReaderStatus } from "../secure-element/pcsc/reader-watch.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import { pcscModuleOption } from "./pcsc-module-option.js";
import { printJson, printLines } from "./print.js";
import { sayMissing } from "./say-missing.js";

interface ReaderReport {
  readonly reader: string;
  readonly state: "empty" | "mute" | "card";
  readonly uid: string | null;
  readonly businessName: string | null;
  /** Why a card has no UID. */
  readonly reason: string | null;
}

export function cardListCommand(): Command {
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
      for (const reader of readers) reports.push(await reportOf(reader, pcscModule));
      if (json) printJson({ readers: reports });
      else printLines(reports.map(textOf));
      // Without a card, exit with an error for scripts.
      if (missing) {
        if (!json) process.stderr.write(`tillseal: ${description}\n`);
        process.exitCode = 1;
      }
    });
}

async function reportOf({ name, hasCard, isMute }: ReaderStatus, module: PcscModule): Promise<ReaderReport> {
  const noCard = { reader: name, uid: null, businessName: null, reason: null };
  if (!hasCard) return { ...noCard, state: "empty" };
  if (isMute) return { ...noCard, state: "mute", reason: "it does not answer; is it inserted the right way round?" };
  const { lookAtCard } = await import("./look-at-card.js");
  const state = await lookAtCard(
    name,
    module,
    async (secureElement): Promise<SecureElementState> => secureElement.state,
  );
  if (state.card !== "ready") return { ...noCard, state: "card", reason: state.reason };
  const { uid, taxpayer } = state.identity;
  return { ...noCard, state: "card", uid, businessName: taxpayer.businessName };
}

function textOf({ reader, state, uid, businessName, reason }: ReaderReport): string {
  if (state === "empty") return `${reader}: empty`;
  return uid === null ? `${reader}: a card, but ${reason}` : `${reader}: card ${uid} of ${businessName ?? ""}`;
}
