/**
 * Finds the rates and addresses that a backup would bring into force: it is a file like any other, so they need a yes.
 */

import { type CardConfiguration, cardConfiguration, differenceToConfirm } from "../../authority/card-configuration.js";
import { restoredId } from "../../authority/commands.js";
import { COMMAND_TYPE } from "../../authority/tax-authority.js";
import type { EpochMs } from "../../base/epoch-ms.js";
import type { NewCommand, Sent } from "../../ledger/authority-ledger.js";
import { StoreError } from "../../ledger/database.js";
import type { ConfigurationChange } from "../../ledger/sent.js";
import { StoreReading } from "../../ledger/store-reading.js";

export interface Brought {
  /** All values of the backup. */
  readonly values: readonly Sent[];
  /** Changes for each card, beside what the present store has for it. */
  readonly cards: readonly { readonly uid: string; readonly changes: readonly ConfigurationChange[] }[];
}

/** Compares a backup with the store of the data folder. */
export function broughtBy(backup: StoreReading, dataDir: string, now: EpochMs): Brought {
  const sent = backup.sent();
  const present = sentIn(dataDir);
  const cards = [...new Set(sent.map(({ uid }) => uid))].map((uid) => {
    const of = (all: readonly Sent[]): CardConfiguration =>
      cardConfiguration(
        all.filter((one) => one.uid === uid),
        undefined,
      );
    return { uid, changes: differenceToConfirm(of(present), of(sent), now).changes };
  });
  return { values: sent, cards: cards.filter(({ changes }) => changes.length > 0) };
}

/** What the store of the data folder has; nothing if there is none that can be read. */
function sentIn(dataDir: string): readonly Sent[] {
  try {
    return StoreReading.open(dataDir).use((store) => store.sent());
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

const TYPES = {
  rates: COMMAND_TYPE.taxRates,
  parameters: COMMAND_TYPE.configuration,
  timeServer: COMMAND_TYPE.timeServer,
  verificationRoot: COMMAND_TYPE.verificationUrl,
} as const;

/** Returns commands that set the values of these cards again. */
export function commandsFor({ values, cards }: Brought, now: EpochMs): readonly NewCommand[] {
  const uids = new Set(cards.map(({ uid }) => uid));
  const isInForce = ({ uid, fileUntil }: Sent) => uids.has(uid) && (fileUntil === null || fileUntil > now);
  return values.filter(isInForce).map(({ uid, name, value }, i) => {
    return { uid, commandId: restoredId(now, i), type: TYPES[name], payload: value, receivedAt: now, fromFile: true };
  });
}
