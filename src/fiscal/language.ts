/** Languages of the receipt and the choice among them (protocol facts, section 4, "Accept-Language"). */

export const RECEIPT_LANGUAGES = ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"] as const;
export type ReceiptLanguage = (typeof RECEIPT_LANGUAGES)[number];

interface Preference {
  readonly tag: string;
  readonly quality: number;
}

/**
 * Reads `sr-Cyrl-RS;en-US` (the specification's separator) and `en-US,en;q=0.9` (from browsers). Best first; equal ones
 * keep the header's order.
 */
function preferences(header: string): Preference[] {
  const found: Preference[] = [];
  for (const part of header.split(/[;,]/)) {
    const token = part.trim();
    const quality = /^q\s*=\s*([\d.]+)$/i.exec(token);
    const last = found.at(-1);
    if (quality && last) found[found.length - 1] = { tag: last.tag, quality: Number(quality[1]) };
    else if (token !== "" && !quality) found.push({ tag: token.toLowerCase(), quality: 1 });
  }
  return found.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

/** A range such as `sr` or `sr-Latn` matches the tags that begin with it (RFC 4647, basic filtering). */
function matches(range: string, tag: string): boolean {
  return range === "*" || tag === range || tag.startsWith(`${range}-`);
}

/** No language tag has more subtags; a header of 16 kB must not be shortened thousands of times. */
const MOST_SUBTAGS = 8;

/** `sr-latn-me`, `sr-latn`, `sr`: shorter and shorter ranges (RFC 4647, section 3.4, lookup). */
function shortened(range: string): string[] {
  const subtags = range.split("-", MOST_SUBTAGS);
  return subtags.map((_, i) => subtags.slice(0, subtags.length - i).join("-"));
}

/**
 * The language of the answer; undefined if the header names no supported one (406). If the header is absent or empty:
 * the first supported language.
 */
export function chooseLanguage(
  header: string | undefined,
  supported: readonly ReceiptLanguage[],
): ReceiptLanguage | undefined {
  if (header === undefined || !/[^\s;,]/.test(header)) return supported[0];
  for (const range of preferences(header).flatMap(({ tag }) => shortened(tag))) {
    const language = supported.find((candidate) => matches(range, candidate.toLowerCase()));
    if (language) return language;
  }
  return undefined;
}
