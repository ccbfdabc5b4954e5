/** Computes what commands would change for a card, before they are executed. This code is pure. */
import type { EpochMs } from "../base/epoch-ms.js";
import { environmentIn, partsOf } from "../config/sent-environments.js";
import { parseTime } from "../fiscal/time.js";
import type { ConfigurationChange, NewSent, Sent } from "../ledger/authority-ledger.js";
import {
  type Configuration,
  changesBetween,
  type KnownConfiguration,
  needsSecondYes,
  pastChanges,
} from "./configuration-change.js";

export interface CardConfiguration {
  /** What was sent for the card, in the order of sending. */
  readonly sent: readonly Sent[];
  /** What the card sells with, now and later; undefined if it is not complete yet, or the stored copy is damaged. */
  readonly inForce: Configuration | undefined;
  /** The same, with what is not complete yet; undefined if the stored copy is damaged. */
  readonly known: KnownConfiguration | undefined;
  readonly damaged: boolean;
}

/** @param sent for this card @param file the configuration until the authority has sent everything */
export function cardConfiguration(sent: readonly Sent[], file: Configuration | undefined): CardConfiguration {
  if (sent.length === 0) return { sent, inForce: file, known: file, damaged: false };
  const { environment, damaged } = environmentIn(sent);
  const known = damaged ? undefined : knownIn(sent, file);
  return { sent, inForce: environment ?? (damaged ? undefined : file), known, damaged };
}

function knownIn(sent: readonly Sent[], file: Configuration | undefined): KnownConfiguration {
  const { parameters, addresses, taxRates } = partsOf(sent);
  const { root, ntpServer } = addresses;
  const incomplete = {
    ...(ntpServer === undefined ? {} : { ntpServer }),
    ...(root === undefined ? {} : { endpoints: { root } }),
  };
  return {
    parameters: parameters ?? file?.parameters ?? incomplete,
    taxRates: taxRates.length > 0 ? taxRates : (file?.taxRates ?? []),
  };
}

/** Returns the configuration as it would be after a command. */
export function configuredWith(
  { sent }: CardConfiguration,
  added: readonly NewSent[],
  file: Configuration | undefined,
): CardConfiguration {
  const all = [...added, ...endedBy(added, sent)];
  const isReplaced = (one: Sent) => all.some(({ name, key }) => name === one.name && key === one.key);
  const intact = all.map((one): Sent => ({ ...one, intact: true }));
  return cardConfiguration([...sent.filter((one) => !isReplaced(one)), ...intact], file);
}

/**
 * Returns the groups of files that are not chosen for sales any more, because the authority itself has sent rates: from
 * the time on at which the first of them is valid.
 */
export function endedBy(added: readonly NewSent[], sent: readonly Sent[]): readonly NewSent[] {
  const starts = added.flatMap(({ name, value, receivedAt, fileUntil }) => {
    if (name !== "rates" || fileUntil !== null) return [];
    const { validFrom } = JSON.parse(value) as { validFrom: string };
    return [Math.max(receivedAt, parseTime(validFrom) ?? receivedAt)];
  });
  const until = Math.min(...starts);
  return sent
    .filter(({ name, fileUntil, intact }) => name === "rates" && intact && fileUntil !== null && fileUntil > until)
    .map(({ intact, ...one }) => ({ ...one, fileUntil: until }));
}

export interface Unconfirmed {
  readonly changes: readonly ConfigurationChange[];
  /** Whether a person must say yes twice ({@link needsSecondYes}). */
  readonly asksTwice: boolean;
}

/** Whether the next configuration is the card's first, which does not count as a change. */
export function isFirstFor({ inForce, damaged }: CardConfiguration): boolean {
  return !inForce && !damaged;
}

/** The changes of what is in force. */
export function changesInForce(
  before: CardConfiguration,
  after: CardConfiguration,
  now: EpochMs,
): readonly ConfigurationChange[] {
  if (isFirstFor(before) || !after.inForce) return [];
  return changesBetween(before.inForce, after.inForce, now);
}

/** Compares also the first configuration and what is not complete yet: a later command may bring it into force. */
export function differenceToConfirm(before: CardConfiguration, after: CardConfiguration, now: EpochMs): Unconfirmed {
  if (!after.known) return { changes: [], asksTwice: false };
  return {
    changes: [...changesBetween(before.known, after.known, now), ...pastChanges(before.known, after.known)],
    asksTwice: needsSecondYes(before.known, after.known, now),
  };
}
