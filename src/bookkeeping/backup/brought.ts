/**
 * Finds what a backup would bring into force that the present store does not have: rates, addresses, and which sales are
 * sent and proven. A backup is a file like any other, so this needs a yes.
 */

import { contentOf, type PastRates, PayloadError, restoredId } from "../../authority/command-content.js";
import {
  type CardConfiguration,
  cardConfiguration,
  configuredWith,
  differenceToConfirm,
} from "../../authority/configuration-change.js";
import { COMMAND_TYPE, PAST_RATES } from "../../authority/tax-authority.js";
import type { EpochMs } from "../../base/epoch-ms.js";
import { environmentIn } from "../../config/sent-environments.js";
import { type NewCommand, type NewSent, NO_END, type Sent } from "../../ledger/authority-ledger.js";
import { StoreError } from "../../ledger/database.js";
import type { Allowed } from "../../ledger/hold-sent.js";
import type { ConfigurationChange } from "../../ledger/sent.js";
import { StoreReading } from "../../ledger/store-reading.js";

interface BroughtCard {
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

/** A card with what the restored store may use for it. */
interface ComparedCard extends BroughtCard {
  readonly sentWithYes: readonly NewSent[];
  /** Set the rates and addresses again that change something. */
  readonly commands: readonly NewCommand[];
  /** Id of the newest entry that counts as proven without a yes. */
  readonly provenTo: number;
  /** Checksums of the audits that count without a yes. */
  readonly audits: readonly string[];
}

export async function broughtBy(backup: StoreReading, dataDir: string, now: EpochMs): Promise<Brought> {
  const present = presentIn(dataDir);
  try {
    const stored = present?.sent() ?? [];
    const damaged = new Set(stored.filter(({ intact }) => !intact).map(({ uid }) => uid));
    const own = stored.filter(({ uid }) => !damaged.has(uid));
    const sent = backup.sent().filter(({ intact }) => intact);
    const uids = new Set([...[...sent, ...own].map(({ uid }) => uid), ...(await backup.audits().cards())]);
    const cards: ComparedCard[] = [];
    for (const uid of uids) {
      const of = (all: readonly Sent[]) => all.filter((one) => one.uid === uid);
      cards.push({ uid, ...comparedRates(of(sent), of(own), now), ...(await comparedAudits(uid, backup, present)) });
    }
    const audited = (trusted: readonly ComparedCard[]) => {
      const proven = cards.filter((card) => !trusted.includes(card));
      return { trusted: trusted.map(({ uid }) => uid), audits: proven.flatMap(({ audits }) => audits), proven };
    };
    const sentWithYes = cards.flatMap((card) => card.sentWithYes);
    return {
      cards: cards.filter(({ changes, reached }) => changes.length > 0 || reached),
      withYes: { sent: sentWithYes, commands: [], ...audited(cards.filter(({ reached }) => reached)) },
      withoutYes: { sent: own, commands: cards.flatMap(({ commands }) => commands), ...audited([]) },
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

/** Compares up to which entry the stores have the same receipts of a card, and what each says has reached the authority. */
async function comparedAudits(uid: string, backup: StoreReading, present: StoreReading | undefined) {
  const [claim, known] = [await progressIn(backup, uid), await progressIn(present, uid)];
  let [to, isSame, count, of] = [0, present !== undefined, 0, 0];
  for (const entry of backup.signed(uid)) {
    isSame &&= present?.hasSigned(uid, entry) ?? false;
    if (isSame) to = entry.id;
    if (entry.id <= claim.reached) count++;
    of++;
  }
  const reached = claim.reached <= Math.min(known.reached, to) ? undefined : { count, of };
  return { provenTo: Math.min(known.provenTo, to), audits: present?.auditsTo(uid, to) ?? [], reached };
}

async function progressIn(store: StoreReading | undefined, uid: string) {
  if (!store) return { provenTo: 0, reached: 0 };
  const { sentTo, provenTo, onStick } = await store.audits().progress(uid);
  const open = await store.audits().openAudit(uid);
  return { provenTo, reached: Math.max(sentTo, provenTo, onStick, open?.covers ?? 0) };
}

function comparedRates(backup: readonly Sent[], present: readonly Sent[], now: EpochMs) {
  const before = cardConfiguration(present, undefined);
  let after = before;
  const commands: NewCommand[] = [];
  for (const [i, row] of backup.entries()) {
    const command = commandOf(row, now, i);
    const next = configuredWith(after, contentIn(command, after), undefined);
    if (differenceToConfirm(after, next, now).changes.length === 0) continue;
    after = next;
    commands.push(command);
  }
  const { changes } = differenceToConfirm(before, after, now);
  const isChange = changes.length > 0;
  return { changes, sentWithYes: isChange ? after.sent : present, commands: isChange ? commands : [] };
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
