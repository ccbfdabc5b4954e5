/**
 * Finds what a backup would bring into force that the present store does not have: rates, addresses, and which sales are
 * sent and proven. A backup is a file like any other, so this needs a yes.
 */

import {
  type CardConfiguration,
  cardConfiguration,
  configuredWith,
  differenceToConfirm,
} from "../../authority/card-configuration.js";
import { contentOf, type PastRates, PayloadError, restoredId } from "../../authority/command-content.js";
import { COMMAND_TYPE, PAST_RATES } from "../../authority/tax-authority.js";
import type { EpochMs } from "../../base/epoch-ms.js";
import { environmentIn } from "../../config/sent-environments.js";
import { type NewCommand, NO_END, type Sent } from "../../ledger/authority-ledger.js";
import { StoreError } from "../../ledger/database.js";
import type { Allowed } from "../../ledger/hold-sent.js";
import type { ConfigurationChange } from "../../ledger/sent.js";
import { StoreReading } from "../../ledger/store-reading.js";

export interface BroughtCard {
  readonly uid: string;
  /** Changes of rates and addresses, beside what the present store has. */
  readonly changes: readonly ConfigurationChange[];
  /**
   * Number of receipts up to the last one that is proven, sent, on a stick or in an open audit, as the backup says, and
   * number of all receipts; undefined if the present store says the same.
   */
  readonly reached: { readonly count: number; readonly of: number } | undefined;
}

export interface Brought {
  /** Cards for which there is something to confirm. */
  readonly cards: readonly BroughtCard[];
  readonly withYes: Allowed;
  readonly withoutYes: Allowed;
}

/** Compares a backup with the store of the data folder. */
export async function broughtBy(backup: StoreReading, dataDir: string, now: EpochMs): Promise<Brought> {
  const present = presentIn(dataDir);
  try {
    const own = present?.sent() ?? [];
    const damaged = new Set(own.filter(({ intact }) => !intact).map(({ uid }) => uid));
    const usable = own.filter(({ uid }) => !damaged.has(uid));
    const sent = backup.sent().filter(({ intact }) => intact);
    const rates = uidsOf([...sent, ...usable]).map((uid) => broughtRates(uid, sent, usable, now));
    const audits: BroughtAudits[] = [];
    for (const uid of await backup.audits().cards()) audits.push(await broughtAudits(uid, backup, present));
    const cards = uidsOf([...rates, ...audits]).map((uid): BroughtCard => {
      const changes = rates.find((one) => one.uid === uid)?.changes ?? [];
      return { uid, changes, reached: audits.find((one) => one.uid === uid)?.reached };
    });
    const allowed = (trusted: readonly BroughtAudits[]) => {
      const others = audits.filter((one) => !trusted.includes(one));
      return { trusted: uidsOf(trusted), audits: others.flatMap((one) => one.audits), proven: others };
    };
    return {
      cards: cards.filter(({ changes, reached }) => changes.length > 0 || reached),
      withYes: {
        sent: rates.flatMap(({ after }) => after.sent),
        commands: [],
        ...allowed(audits.filter(({ reached }) => reached)),
      },
      withoutYes: { sent: usable, commands: rates.flatMap(({ commands }) => commands), ...allowed([]) },
    };
  } finally {
    present?.close();
  }
}

/** The store of the data folder; undefined if there is none that can be read. */
function presentIn(dataDir: string): StoreReading | undefined {
  try {
    return StoreReading.open(dataDir);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

const uidsOf = (all: readonly { readonly uid: string }[]) => [...new Set(all.map(({ uid }) => uid))];

interface BroughtAudits extends Pick<BroughtCard, "uid" | "reached"> {
  /** Id of the newest entry that counts as proven without a yes. */
  readonly provenTo: number;
  /** Checksums of the audits that count without a yes. */
  readonly audits: readonly string[];
}

/** Compares up to which entry the stores have the same receipts of a card, and what each says has reached the authority. */
async function broughtAudits(
  uid: string,
  backup: StoreReading,
  present: StoreReading | undefined,
): Promise<BroughtAudits> {
  const [claim, known] = [await progressIn(backup, uid), await progressIn(present, uid)];
  let [to, isSame, count, of] = [0, present !== undefined, 0, 0];
  for (const entry of backup.signed(uid)) {
    isSame &&= present?.hasSigned(uid, entry) ?? false;
    if (isSame) to = entry.id;
    if (entry.id <= claim.reached) count++;
    of++;
  }
  const isKnown = claim.reached <= Math.min(known.reached, to);
  const provenTo = Math.min(known.provenTo, to);
  return { uid, provenTo, audits: present?.auditsTo(uid, to) ?? [], reached: isKnown ? undefined : { count, of } };
}

async function progressIn(store: StoreReading | undefined, uid: string) {
  if (!store) return { provenTo: 0, reached: 0 };
  const { sentTo, provenTo, onStick } = await store.audits().progress(uid);
  const open = await store.audits().openAudit(uid);
  return { provenTo, reached: Math.max(sentTo, provenTo, onStick, open?.covers ?? 0) };
}

interface BroughtRates {
  readonly uid: string;
  readonly changes: readonly ConfigurationChange[];
  readonly after: CardConfiguration;
  /** Set the rates and addresses again that change something. */
  readonly commands: readonly NewCommand[];
}

function broughtRates(uid: string, backup: readonly Sent[], present: readonly Sent[], now: EpochMs): BroughtRates {
  const before = cardConfiguration(
    present.filter((one) => one.uid === uid),
    undefined,
  );
  let after = before;
  const commands: NewCommand[] = [];
  for (const [i, row] of backup.entries()) {
    if (row.uid !== uid) continue;
    const command = commandOf(row, now, i);
    const next = configuredWith(after, contentIn(command, after), undefined);
    if (differenceToConfirm(after, next, now).changes.length === 0) continue;
    after = next;
    commands.push(command);
  }
  const { changes } = differenceToConfirm(before, after, now);
  return changes.length > 0 ? { uid, changes, after, commands } : { uid, changes, after: before, commands: [] };
}

const TYPES = {
  rates: COMMAND_TYPE.taxRates,
  parameters: COMMAND_TYPE.configuration,
  timeServer: COMMAND_TYPE.timeServer,
  verificationRoot: COMMAND_TYPE.verificationUrl,
} as const;

/** A command that sets a value of the backup again. */
function commandOf({ uid, name, value, receivedAt, fileUntil }: Sent, now: EpochMs, i: number): NewCommand {
  const command = { uid, commandId: restoredId(now, i), receivedAt: now, fromFile: true };
  if (fileUntil === null || fileUntil === NO_END) return { ...command, type: TYPES[name], payload: value };
  const past: PastRates = { from: receivedAt, until: fileUntil, group: value };
  return { ...command, type: PAST_RATES, payload: JSON.stringify(past) };
}

/** What a command sets; nothing if the backup's value cannot be used. */
function contentIn(command: NewCommand, { sent }: CardConfiguration) {
  try {
    return contentOf(command, environmentIn(sent).timeZone);
  } catch (error) {
    if (error instanceof PayloadError) return [];
    throw error;
  }
}
