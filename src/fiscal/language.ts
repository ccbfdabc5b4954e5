/** The languages of receipts, and how to choose one of them (protocol facts, section 4, "Accept-Language"). */

export const RECEIPT_LANGUAGES = ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"] as const;
export type ReceiptLanguage = (typeof RECEIPT_LANGUAGES)[number];

export interface SupportedLanguage {
  /** Tag of the language as the authority spells it, such as `sr-Cyrl-BA`. */
  readonly tag: string;
  readonly prints: ReceiptLanguage;
}

/** The languages that we print, by language and script. CLDR adds the script to every tag: `sr-ME` is `sr-Latn-ME`. */
const BY_SCRIPT: ReadonlyMap<string, ReceiptLanguage> = new Map([
  ["sr-Cyrl", "sr-Cyrl-RS"],
  ["sr-Latn", "sr-Latn-RS"],
  ["en-Latn", "en-US"],
]);

/** Returns language and script, such as `sr-Cyrl` for `sr-RS`; undefined if the text is not a language tag. */
function scriptOf(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag.trim().replaceAll("_", "-")).maximize();
    return `${language}-${script}`;
  } catch {
    return undefined;
  }
}

/** Returns the nearest language that we print, such as `sr-Cyrl-RS` for `sr-Cyrl-BA`; undefined if there is none. */
export function nearestLanguage(tag: string): ReceiptLanguage | undefined {
  return BY_SCRIPT.get(scriptOf(tag) ?? "");
}

/**
 * Returns the languages of an environment. If we print none of these languages, receipts are in the country's language;
 * if we do not print that language either, receipts are in English.
 * @param tags tags as the authority spells them; the result leaves out tags that we cannot print
 * @param country two letters, or ""
 * @returns at least one language; the first is the default
 */
export function supportedLanguages(tags: readonly string[], country: string): readonly SupportedLanguage[] {
  const supported = tags.flatMap((tag) => {
    const prints = nearestLanguage(tag);
    return prints ? [{ tag, prints }] : [];
  });
  if (supported.length > 0) return supported;
  return asSupported([nearestLanguage(`und-${country}`) ?? "en-US"]);
}

/** Returns languages that we print in the form of {@link supportedLanguages}. */
export function asSupported(languages: readonly ReceiptLanguage[]): readonly SupportedLanguage[] {
  return languages.map((language) => ({ tag: language, prints: language }));
}

interface Preference {
  readonly tag: string;
  readonly quality: number;
}

/**
 * Reads `sr-Cyrl-RS;en-US` (the specification's separator), `en-US,en;q=0.9` (from browsers) and `sr_RS` (from Java).
 * Returns the preferred language first; languages with equal weight keep the header's order. A weight of 0 excludes.
 */
function preferences(header: string): { readonly wanted: readonly Preference[]; readonly excluded: readonly string[] } {
  const preferred: Preference[] = [];
  for (const part of header.split(/[;,]/)) {
    const token = part.trim();
    const quality = /^q\s*=\s*([\d.]+)$/i.exec(token);
    const last = preferred.at(-1);
    if (quality && last) preferred[preferred.length - 1] = { tag: last.tag, quality: Number(quality[1]) };
    else if (token !== "" && !quality) preferred.push({ tag: token.toLowerCase().replaceAll("_", "-"), quality: 1 });
  }
  const wanted = preferred.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  return { wanted, excluded: preferred.filter(({ quality }) => quality === 0).map(({ tag }) => tag) };
}

/** Whether a tag is in a range. The range `sr` contains all tags that begin with `sr` (RFC 4647, basic filtering). */
function matches(range: string, tag: string): boolean {
  return range === "*" || tag === range || tag.startsWith(`${range}-`);
}

/** No language tag has more subtags. The limit keeps `shortened` fast, even for a header of 16 kB. */
const MOST_SUBTAGS = 8;

/** Returns shorter and shorter ranges, such as `sr-latn-me`, `sr-latn`, `sr` (RFC 4647, section 3.4, lookup). */
function* shortened(range: string): Generator<string> {
  for (const subtags = range.split("-", MOST_SUBTAGS); subtags.length > 0; subtags.pop()) yield subtags.join("-");
}

/**
 * Returns the language of the answer; undefined if the header names no supported language (406). If the header is
 * absent or empty, returns the first supported language. The header may have the authority's tags or the tags of
 * tillseal.
 */
export function chooseLanguage(
  header: string | undefined,
  supported: readonly SupportedLanguage[],
): ReceiptLanguage | undefined {
  if (header === undefined || !/[^\s;,]/.test(header)) return supported[0]?.prints;
  const { wanted, excluded } = preferences(header);
  for (const range of wanted.flatMap(({ tag }) => [...shortened(tag)])) {
    const match = supported.find(({ tag, prints }) =>
      [tag, prints].some((name) => {
        const candidate = name.toLowerCase();
        // A longer range may bring back what a shorter one excludes.
        const isExcluded = excluded.some((one) => one.length >= range.length && matches(one, candidate));
        return matches(range, candidate) && !isExcluded;
      }),
    );
    if (match) return match.prints;
  }
  return undefined;
}
