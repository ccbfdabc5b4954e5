/** What the console says, in the language that was chosen. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { toLatin } from "./latin.js";
import { ENGLISH } from "./texts/english.js";
import { SERBIAN } from "./texts/serbian.js";
import { SETTINGS_IN_SERBIAN } from "./texts/serbian-settings.js";
import { momentOf } from "./zoned.js";

export type TextKey = keyof typeof ENGLISH;
export type Texts = Readonly<Record<TextKey, string>>;

/** Languages by their tags, each named in itself. */
export const LANGUAGES = { en: "English", "sr-Cyrl": "Српски", "sr-Latn": "Srpski" } as const;
export type Language = keyof typeof LANGUAGES;

/** Fills `{name}` with what is given. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

const latin = Object.fromEntries(Object.entries(SERBIAN).map(([key, text]) => [key, toLatin(text)])) as Texts;
const TEXTS: Readonly<Record<Language, Texts>> = { en: ENGLISH, "sr-Cyrl": SERBIAN, "sr-Latn": latin };

function sayIn(language: Language): Say {
  const texts = TEXTS[language];
  return (key, values = {}) => texts[key].replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

const CLOCK_TIME = {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
} as const;

function settingIn(language: Language, name: string): string | undefined {
  const text = language === "en" ? undefined : SETTINGS_IN_SERBIAN[name];
  return text !== undefined && language === "sr-Latn" ? toLatin(text) : text;
}

/** How the console speaks: texts, times and amounts, the way the language writes them. */
export interface Speech {
  readonly language: Language;
  readonly say: Say;
  /** @param decimal decimal text, shown as exact as it is, with two decimals at least */
  readonly amount: (decimal: string) => string;
  /** @param iso in UTC; shown in the shop's time zone */
  readonly time: (iso: string) => string;
  /** @param iso in UTC; its day in the shop's time zone */
  readonly day: (iso: string) => string;
  /** @param iso in UTC; the time of day with milliseconds */
  readonly clockTime: (iso: string) => string;
  /** @param local `2026-11-21T10:00` in the shop's time zone */
  readonly moment: (local: string) => Date;
  /** What a setting means. @param description in English, from the service */
  readonly aboutSetting: (name: string, description: string) => string;
}

/** @param timeZone of the shop; the browser's where null */
export function speechIn(language: Language, timeZone: string | null): Speech {
  const zone = timeZone === null ? {} : { timeZone };
  const locale = language === "en" ? "en-GB" : language;
  const times = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", ...zone });
  const clockTimes = new Intl.DateTimeFormat(locale, { ...CLOCK_TIME, ...zone });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", ...zone });
  return {
    language,
    say: sayIn(language),
    amount: (decimal) => amountText(decimal, language === "en"),
    time: (iso) => times.format(new Date(iso)),
    day: (iso) => days.format(new Date(iso)),
    clockTime: (iso) => clockTimes.format(new Date(iso)),
    moment: (local) => momentOf(local, timeZone ?? undefined),
    aboutSetting: (name, description) => settingIn(language, name) ?? description,
  };
}

/** `1,234.50`, or `1.234,50`. */
function amountText(decimal: string, english: boolean): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const [group, point] = english ? [",", "."] : [".", ","];
  return `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${point}${fraction.padEnd(2, "0")}`;
}

export const SpeechContext = createContext<Speech>(speechIn("en", null));

export function useSpeech(): Speech {
  return useContext(SpeechContext);
}

const KEPT = "tillseal.language";

/** What was chosen before, or what the browser prefers. */
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

/** A browser may be told to keep nothing. */
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
    // Then it is chosen again next time.
  }
}
