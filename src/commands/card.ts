/** `tillseal card`: shows the cards in this machine's readers. */
import { Command } from "commander";
import { HAS_EMULATOR } from "../base/package-root.js";
import { UserError } from "../base/user-error.js";
import type { Settings } from "../config/settings.js";
import { toFixed } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { PcscModule } from "../secure-element/pcsc/binding.js";
import { sessionNote } from "../secure-element/pcsc/missing.js";
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import type { ReaderStatus } from "../secure-element/pcsc/reader-watch.js";
import type { CardIdentity, SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import { configFrom, JSON_FLAG, type SettingFlags, settingsCommand } from "./flags.js";
import { endWith } from "./surroundings.js";
import { complain, printJson, printLines, printTable, sayMissing } from "./terminal.js";

export function cardCommand(): Command {
  return new Command("card")
    .description(`cards in this machine's readers${HAS_EMULATOR ? ", and emulated cards" : ""}`)
    .addCommand(cardListCommand())
    .addCommand(cardInfoCommand());
}

type ReaderReport = Awaited<ReturnType<typeof readerReport>>;

function cardListCommand(): Command {
  const about = "show the readers of this machine and the cards in them";
  return settingsCommand("list", about, JSON_FLAG, ["dataDir", "pcscModule"]).action(
    async ({ json = false, ...flags }: { json?: boolean }) => {
      const { pcscModule } = await settingsForLook(flags);
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
      const note = missing ? !json && description : sessionNote();
      if (note) complain(note);
      // Without a card, exit with an error, so that scripts notice it.
      if (missing) endWith(1);
    },
  );
}

/** The settings to look at a card with. @throws UserError if a service uses a card: a look would end its PIN session */
async function settingsForLook(flags: SettingFlags): Promise<Settings> {
  const { runningIfAny } = await import("../client/find-running.js");
  const config = configFrom(flags);
  const running = await runningIfAny(config);
  if (running?.info.card !== "pcsc") return config.settings;
  throw new UserError(
    `the service at ${running.url} uses the card, and would need its PIN again: tillseal status shows the card. Stop the service to look at it here`,
  );
}

/** @returns a reason if the card has no UID */
async function readerReport({ name, hasCard, isMute }: ReaderStatus, module: PcscModule) {
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

function cardInfoCommand(): Command {
  const about = "show the card: UID, taxpayer, version, certificate, PIN attempts, sum and limit";
  return settingsCommand("info", about, JSON_FLAG, ["dataDir", "reader", "pcscModule"]).action(
    async ({ json = false, ...flags }: { json?: boolean }) => {
      const { reader: name, pcscModule } = await settingsForLook(flags);
      const { lookAtCard } = await import("./look-at-card.js");
      await lookAtCard(name, pcscModule, async (secureElement, reader) => {
        const { missing } = reader;
        if (missing) return sayMissing(missing, reader.description, json);
        const { state } = secureElement;
        if (state.kind !== "ready") return sayMissing("card-error", `the card cannot be read: ${state.reason}`, json);
        const report = await cardReport(state.identity, secureElement, reader);
        if (json) printJson(report);
        else printTable(Object.entries(report).map(([name, value]) => [name, String(value ?? "unknown")]));
        if (sessionNote()) complain(sessionNote());
      });
    },
  );
}

async function cardReport(identity: CardIdentity, secureElement: SecureElement, { description }: PcscReader) {
  const tries = await secureElement.pinTriesLeft();
  const amount = await secureElement.amountStatus();
  const { uid, taxpayer, country, appletVersion, issuer, validFrom, validTo, taxAuthorityApi } = identity;
  return {
    reader: description.replace(/^reader /, ""),
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
