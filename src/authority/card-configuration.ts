/** Computes what commands would change for a card, before they are executed. This code is pure. */
import type { NewSent, Sent } from "../ledger/authority-ledger.js";
import {
  type Configuration,
  type ConfigurationChange,
  changesBetween,
  needsSecondYes,
} from "./configuration-change.js";
import { environmentIn } from "./sent-environments.js";

export interface CardConfiguration {
  /** What the authority sent for the card, in the order of sending. */
  readonly sent: readonly Sent[];
  /**
   * The rates and parameters that the card sells with, now and later; undefined if they are not complete yet, or if the
   * stored copy is damaged.
   */
  readonly inForce: Configuration | undefined;
  readonly damaged: boolean;
}

/**
 * @param sent what the authority sent for this card
 * @param file the configuration that applies until the authority has sent everything
 */
export function cardConfiguration(sent: readonly Sent[], file: Configuration | undefined): CardConfiguration {
  if (sent.length === 0) return { sent, inForce: file, damaged: false };
  const { environment, damaged } = environmentIn(sent);
  return { sent, inForce: environment ?? (damaged ? undefined : file), damaged };
}

/** Returns the configuration as it would be after a command. */
export function configuredWith(
  { sent }: CardConfiguration,
  added: readonly NewSent[],
  file: Configuration | undefined,
): CardConfiguration {
  const isReplaced = (one: Sent) => added.some(({ name, key }) => name === one.name && key === one.key);
  const intact = added.map((one): Sent => ({ ...one, intact: true }));
  return cardConfiguration([...sent.filter((one) => !isReplaced(one)), ...intact], file);
}

export interface Difference {
  readonly changes: readonly ConfigurationChange[];
  /** Whether a person must say yes twice ({@link needsSecondYes}). */
  readonly asksTwice: boolean;
}

/**
 * Compares two configurations. The first configuration of a card does not count as a change.
 * @param now ms since the epoch
 */
export function differenceOf(before: CardConfiguration, after: CardConfiguration, now: number): Difference {
  const isFirst = !before.inForce && !before.damaged;
  if (isFirst || !after.inForce) return { changes: [], asksTwice: false };
  return {
    changes: changesBetween(before.inForce, after.inForce, now),
    asksTwice: needsSecondYes(before.inForce, after.inForce, now),
  };
}
