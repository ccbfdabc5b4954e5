/**
 * Computes what commands would change for a card, before they are executed, and lists what new rates and parameters
 * change, for a person to read. This code is pure.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { environmentIn, partsOf } from "../config/sent-environments.js";
import type { EnvironmentParameters, FiscalEnvironment } from "../fiscal/environment.js";
import { toldApart } from "../fiscal/look-alikes.js";
import { toDecimalText } from "../fiscal/money.js";
import { chosenFrom, rateGroupAt, type TaxCategory, type TaxRateGroup } from "../fiscal/tax.js";
import { parseTime, toIso } from "../fiscal/time.js";
import type { ConfigurationChange, NewSent, Sent } from "../ledger/sent.js";

/** The rates and parameters that a card sells with, now and later. */
export type Configuration = Pick<FiscalEnvironment, "parameters" | "taxRates">;

/** What is known of a configuration that may be incomplete. */
interface KnownConfiguration extends Pick<Configuration, "taxRates"> {
  readonly parameters: KnownParameters;
}

type KnownParameters = Partial<Omit<EnvironmentParameters, "endpoints">> & {
  readonly endpoints?: Partial<EnvironmentParameters["endpoints"]>;
};

/** Characters of a value that are shown. An address has 500 at most; a logo has thousands and is shortened. */
const LONGEST_VALUE = 500;
/**
 * Lines that one yes can confirm: ten times as many as the rates of a country need. A command that changes more fails.
 */
export const MOST_CHANGES = 300;

/**
 * Lists all changes, one per line. Addresses come first, then what comes into force now.
 * @param before undefined if it is not known, because the stored copy is damaged
 */
export function changesBetween(
  before: KnownConfiguration | undefined,
  after: KnownConfiguration,
  now: EpochMs,
): readonly ConfigurationChange[] {
  const known = chosenFrom(before?.taxRates ?? [], now);
  const next = chosenFrom(after.taxRates, now);
  const labels = [...known, ...next].flatMap((group) => [...ratesOf(group).keys()]);
  const shown = toldApart(labels);
  const groups = next.flatMap((group) => groupChanges(known, group, shown));
  const current = rateGroupAt(next, now)?.groupId;
  const isCurrent = ({ group }: ConfigurationChange) => group?.id === current;
  const changes = [
    ...parameterChanges(before?.parameters, after.parameters),
    ...inForceChanges(known, next, now, groups),
    ...groups.toSorted((a, b) => Number(isCurrent(b)) - Number(isCurrent(a))),
  ];
  return changes.map(shortened);
}

/**
 * Whether a person must say yes twice. This is so if the content of a known group changes, or if at some time from now
 * on an older group (with a lower number), or no group, is in force instead of the known one.
 */
export function needsSecondYes(
  before: KnownConfiguration | undefined,
  after: KnownConfiguration,
  now: number,
): boolean {
  const known = chosenFrom(before?.taxRates ?? [], now);
  const groups = chosenFrom(after.taxRates, now);
  const isRewritten = known.some((group) => {
    const same = groups.find(({ groupId }) => groupId === group.groupId);
    return same !== undefined && !isSame(group, same);
  });
  const goesBack = timesFrom(now, known, groups).some((time) => {
    const old = rateGroupAt(known, time);
    const next = rateGroupAt(groups, time);
    return old !== undefined && (next === undefined || next.groupId < old.groupId);
  });
  return isRewritten || goesBack;
}

/** Lists new groups of files that apply to sales of some time only: refunds and copies of these sales have their rates. */
function pastChanges(
  before: KnownConfiguration | undefined,
  after: KnownConfiguration,
): readonly ConfigurationChange[] {
  const timesOf = ({ chosen }: TaxRateGroup) => JSON.stringify(chosen);
  const isKnown = (group: TaxRateGroup) =>
    before?.taxRates.some((one) => timesOf(one) === timesOf(group) && isSame(one, group)) ?? false;
  const groups = after.taxRates.filter((group) => group.chosen && !isKnown(group));
  const shown = toldApart(groups.flatMap((group) => [...ratesOf(group).keys()]));
  return groups.flatMap((group) => groupChanges([], group, shown)).map(shortened);
}

/** Describes a change in one line of English, for logs and terminals. */
export function changeText({ name, group, before, after }: ConfigurationChange): string {
  const { chosen } = group ?? {};
  const past = chosen ? `; rates of a file, for refunds of sales from ${chosen.from} to ${chosen.until}` : "";
  const place = group ? `${name} (rate group ${group.id}, from ${group.validFrom}${past})` : name;
  return `${place}: ${before ?? "nothing"} -> ${after ?? "nothing"}`;
}

/**
 * Lists the changes of a group. A known group is compared with its earlier content, a new group with the group that it
 * follows.
 * @param shown the text of a label
 */
function groupChanges(
  known: readonly TaxRateGroup[],
  group: TaxRateGroup,
  shown: (label: string) => string,
): ConfigurationChange[] {
  const earlier = known.find(({ groupId }) => groupId === group.groupId);
  if (earlier && isSame(earlier, group)) return [];
  const old = earlier ?? rateGroupAt(known, group.validFrom);
  const { chosen } = group;
  const about = {
    id: group.groupId,
    validFrom: toIso(group.validFrom),
    ...(chosen && { chosen: { from: toIso(chosen.from), until: toIso(chosen.until) } }),
  };
  const line = (name: string, before: string | null, after: string | null): ConfigurationChange[] =>
    before === after ? [] : [{ name, group: about, before, after }];
  const rates = { before: old ? ratesOf(old) : new Map<string, string>(), after: ratesOf(group) };
  const labels = [...new Set([...rates.before.keys(), ...rates.after.keys()])];
  const changes = [
    ...(earlier ? line("validFrom", toIso(earlier.validFrom), about.validFrom) : []),
    ...labels.flatMap((label) => line(shown(label), rates.before.get(label) ?? null, rates.after.get(label) ?? null)),
    ...line("taxCategories", old ? categoriesText(old) : null, categoriesText(group)),
  ];
  if (changes.length > 0) return changes;
  if (!earlier) return line("groupId", old ? String(old.groupId) : null, String(group.groupId));
  // Only the category of a label has changed, and both categories have the same name: show the whole groups.
  return line("taxCategories", canonical(earlier), canonical(group));
}

/**
 * Lists groups that come into force and that no other line names. A group may come into force although it has not
 * changed, because the file may have groups that the authority has not sent.
 */
function inForceChanges(
  known: readonly TaxRateGroup[],
  groups: readonly TaxRateGroup[],
  now: number,
  shown: readonly ConfigurationChange[],
): readonly ConfigurationChange[] {
  const ids = new Set(shown.map(({ group }) => group?.id));
  const number = (group: TaxRateGroup | undefined) => (group ? String(group.groupId) : null);
  const lines = timesFrom(now, known, groups).flatMap((time): ConfigurationChange[] => {
    const before = number(rateGroupAt(known, time));
    const next = rateGroupAt(groups, time);
    if (before === number(next) || (next && ids.has(next.groupId))) return [];
    return [{ name: "groupId", group: null, before, after: number(next) }];
  });
  return [...new Map(lines.map((line) => [changeText(line), line])).values()];
}

/** Returns now and all later times at which another group may come into force. */
function timesFrom(now: number, ...groups: readonly (readonly TaxRateGroup[])[]): readonly number[] {
  const later = groups.flat().flatMap(({ validFrom, chosen }) => (chosen ? [validFrom, chosen.until] : [validFrom]));
  return [now, ...later.filter((time) => time > now).toSorted((a, b) => a - b)];
}

function parameterChanges(before: KnownParameters | undefined, after: KnownParameters): ConfigurationChange[] {
  const old = before ? textsOf(before) : new Map<string, string>();
  const next = textsOf(after);
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((name) => {
    const values = { before: old.get(name) ?? null, after: next.get(name) ?? null };
    return values.before === values.after ? [] : [{ name, group: null, ...values }];
  });
}

/** The parameters as texts by name, addresses first. */
function textsOf({ endpoints, ntpServer, ...others }: KnownParameters): ReadonlyMap<string, string> {
  const all: Record<string, unknown> = { ...(ntpServer === undefined ? {} : { ntpServer }), ...endpoints, ...others };
  return new Map(
    Object.entries(all).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]),
  );
}

/** The rate and the category's name by label, such as `20 VAT`. */
function ratesOf({ taxCategories }: TaxRateGroup): ReadonlyMap<string, string> {
  const texts = (category: TaxCategory) =>
    category.taxRates.map(({ label, rate }): [string, string] => [label, `${toDecimalText(rate)} ${category.name}`]);
  return new Map(taxCategories.flatMap(texts));
}

function categoriesText({ taxCategories }: TaxRateGroup): string {
  return taxCategories.map(({ orderId, name, categoryType }) => `${orderId} ${name} (type ${categoryType})`).join(", ");
}

function isSame(one: TaxRateGroup, other: TaxRateGroup): boolean {
  return canonical(one) === canonical(other);
}

function canonical({ groupId, validFrom, taxCategories }: TaxRateGroup): string {
  const categories = taxCategories.map(({ name, categoryType, orderId, taxRates }) => {
    const rates = taxRates.map(({ label, rate }) => [label, String(rate)]).toSorted();
    return [orderId, name, categoryType, rates];
  });
  return JSON.stringify([groupId, validFrom, categories.toSorted()]);
}

function shortened({ before, after, ...rest }: ConfigurationChange): ConfigurationChange {
  return { ...rest, before: short(before), after: short(after) };
}

function short(text: string | null): string | null {
  return text !== null && text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}...` : text;
}

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
