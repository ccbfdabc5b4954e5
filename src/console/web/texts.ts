/** Texts of the console in the chosen language. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { fill, type Values } from "../../base/fill.js";
import type { NumberForm } from "../../fiscal/journal/layout.js";
import { toLatin } from "../../fiscal/latin.js";
import { localIn, momentOf } from "../../fiscal/zoned.js";
import type { CardReason } from "../../secure-element/card-reason.js";
import type { Finding, FindingValues } from "../../state/finding.js";
import type { FindingText } from "../../state/texts/english.js";
import { findingText, type LineText, lineText } from "../../state/texts.js";
import { CARD_REASON_TEXTS } from "./texts/card-reasons.js";
import { ENGLISH } from "./texts/english.js";
import { pairIn } from "./texts/pair.js";
import { SERBIAN } from "./texts/serbian.js";
import SETTING_TEXTS from "./texts/settings.json" with { type: "json" };

export type TextKey = keyof typeof ENGLISH;

/** Names of the languages, each in its own language. */
export const LANGUAGES = { en: "English", "sr-Cyrl": "Српски", "sr-Latn": "Srpski" } as const;
export type Language = keyof typeof LANGUAGES;

/** The text of a key; `{name}` is replaced by the value of that name. */
export type Say<K extends string = TextKey> = (key: K, values?: Values) => string;

/** Makes a catalogue of texts by their keys. The Latin texts are made from the Cyrillic ones. */
export function catalogueOf<K extends string>(
  english: Readonly<Record<K, string>>,
  serbian: Readonly<Record<K, string>>,
): (language: Language) => Say<K> {
  const latin = Object.fromEntries(
    Object.entries<string>(serbian).map(([key, text]) => [key, toLatin(text)]),
  ) as Readonly<Record<K, string>>;
  const texts = { en: english, "sr-Cyrl": serbian, "sr-Latn": latin };
  return (language) => (key, values) => fill(texts[language][key], values);
}

const sayIn = catalogueOf<TextKey>(ENGLISH, SERBIAN);

const CLOCK_TIME = {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
} as const;

/** A time in UTC among the values of a text, to the minute or exact. */
const MOMENT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: UTC|Z)$/;

function settingIn(language: Language, name: string, description: string): SettingSpeech {
  const texts =
    name in SETTING_TEXTS
      ? SETTING_TEXTS[name as keyof typeof SETTING_TEXTS]
      : { english: name, serbian: name, meaning: description };
  const meaning = { english: description.replaceAll("`", ""), serbian: texts.meaning };
  return { title: pairIn(language, texts), meaning: pairIn(language, meaning) };
}

export interface SettingSpeech {
  readonly title: string;
  readonly meaning: string;
}

/** Returns a function that names a language: `sr-Cyrl-RS` becomes Serbian (Cyrillic). */
function languageIn(locale: string): (tag: string) => string {
  const names = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
  return (tag) => {
    try {
      const { language, script } = new Intl.Locale(tag);
      return names.of(script ? `${language}-${script}` : language) ?? tag;
    } catch {
      return tag;
    }
  };
}

/** Writes texts, times and amounts in the chosen language. */
export interface Speech {
  readonly language: Language;
  readonly say: Say;
  /** Writes an amount with all its digits and at least two decimals. @param decimal decimal text */
  readonly amount: (decimal: string) => string;
  /** Writes a time in the shop's time zone. @param moment ISO 8601 or ms since the epoch */
  readonly time: (moment: string | number) => string;
  /** Writes the day of a time, in the shop's time zone. @param iso time in UTC */
  readonly day: (iso: string) => string;
  /** Writes the day of a time, in UTC: a certificate ends on the same day everywhere. @param iso time in UTC */
  readonly utcDay: (iso: string) => string;
  /** Writes the day of the week, such as `Sat`. @param day such as `2026-11-21` */
  readonly weekday: (day: string) => string;
  /** Writes the month with its year, such as `November 2026`. @param day such as `2026-11-01` */
  readonly monthName: (day: string) => string;
  /** Writes a duration, such as `2 hours`, `3 minutes` or `7.5 seconds`. @param seconds not negative */
  readonly duration: (seconds: number) => string;
  /** Writes a percentage: `20%` or `20 %`, as the language has it. */
  readonly percent: (value: number) => string;
  /** Writes the time of day with milliseconds. @param iso time in UTC */
  readonly clockTime: (iso: string) => string;
  /** Returns the moment of a local time in the shop's time zone. @param local such as `2026-11-21T10:00` */
  readonly moment: (local: string) => Date;
  /** Returns today's date in the shop's time zone, such as `2026-11-21`. */
  readonly today: () => string;
  /** Returns the name and the meaning of a setting. @param description in English, from the service */
  readonly setting: (name: string, description: string) => SettingSpeech;
  /** Returns a text that says why there is no usable card. */
  readonly cardReason: (why: CardReason) => string;
  readonly finding: (finding: Pick<Finding, "key" | "values">) => FindingText;
  readonly doctorLine: (line: LineText) => string;
  readonly languageName: (tag: string) => string;
}

/**
 * Makes the {@link Speech} of a language.
 * @param timeZone time zone of the shop; null means the browser's time zone
 * @param ahead ms by which the till's clock is ahead of the browser's clock
 */
export function speechIn(language: Language, timeZone: string | null, ahead = 0): Speech {
  const zone = timeZone === null ? {} : { timeZone };
  const locale = language === "en" ? "en-GB" : language;
  const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", ...zone });
  const clockTimes = new Intl.DateTimeFormat(locale, { ...CLOCK_TIME, ...zone });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...zone });
  const utcDays = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: "short", timeZone: "UTC" });
  const months = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" });
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 2 });
  /** Writes the times and amounts among the values of a text as the pages do. */
  const written = (values: FindingValues, areAmounts = false): FindingValues =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (areAmounts) return [name, amountText(String(value), numberFormOf(language))];
        const [, date, clock] = MOMENT.exec(String(value)) ?? [];
        return [name, date === undefined ? value : times.format(new Date(`${date}T${clock}Z`))];
      }),
    );
  return {
    language,
    weekday: (day) => weekdays.format(new Date(day)),
    monthName: (day) => months.format(new Date(day)),
    duration: (seconds) => durationIn(locale, seconds),
    percent: (value) => percents.format(value / 100),
    say: sayIn(language),
    amount: (decimal) => amountText(decimal, numberFormOf(language)),
    time: (moment) => times.format(new Date(moment)),
    day: (iso) => days.format(new Date(iso)),
    utcDay: (iso) => utcDays.format(new Date(iso)),
    clockTime: (iso) => clockTimes.format(new Date(iso)),
    moment: (local) => momentOf(local, timeZone ?? undefined),
    today: () => localIn(Date.now() + ahead, timeZone ?? undefined)[0],
    setting: (name, description) => settingIn(language, name, description),
    cardReason: ({ code, values }) => fill(pairIn(language, CARD_REASON_TEXTS[code]), values),
    finding: ({ key, values }) => findingText(language, { key, values: written(values) }),
    doctorLine: ({ key, values }) => lineText(language, { key, values: written(values, key === "amounts") }),
    languageName: languageIn(locale),
  };
}

const UNITS = [
  { unit: "hour", seconds: 3600, digits: 1 },
  { unit: "minute", seconds: 60, digits: 0 },
  { unit: "second", seconds: 1, digits: 1 },
] as const;

/** Writes a duration in the largest unit of which it has at least two. */
function durationIn(locale: string, seconds: number): string {
  const { unit, seconds: each, digits } = UNITS.find((one) => seconds >= 2 * one.seconds) ?? UNITS[2];
  const format = { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(locale, format).format(seconds / each);
}

export const numberFormOf = (language: Language): NumberForm => (language === "en" ? "point" : "comma");

/** Writes an amount: `1,234.50` with point, `1.234,50` with comma. */
export function amountText(decimal: string, form: NumberForm): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const [group, point] = form === "point" ? [",", "."] : [".", ","];
  return `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${point}${fraction.padEnd(2, "0")}`;
}

export const SpeechContext = createContext<Speech>(speechIn("en", null));

export function useSpeech(): Speech {
  return useContext(SpeechContext);
}

const KEPT = "tillseal.language";

/** Returns the language that was chosen before, or else the language that the browser prefers. */
export function firstLanguage(): Language {
  const kept = keptLanguage();
  if (kept !== null && kept in LANGUAGES) return kept as Language;
  for (const tag of navigator.languages) {
    if (/^sr-latn/i.test(tag)) return "sr-Latn";
    if (/^sr\b/i.test(tag)) return "sr-Cyrl";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

/** Returns the language that the browser has kept; null if it has kept none, or if it allows no storage. */
function keptLanguage(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // Ignore the error: without storage, people choose the language again next time.
  }
}
