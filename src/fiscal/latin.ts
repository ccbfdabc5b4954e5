/** Transliterates Serbian from Cyrillic to Latin, letter by letter; three letters become two letters each. */

const CYRILLIC = "абвгдђежзијклмнопрстћуфхцчш";
const LATIN = "abvgdđežzijklmnoprstćufhcčš";
const PAIRS: Readonly<Record<string, string>> = { љ: "lj", њ: "nj", џ: "dž" };

const LETTERS = new Map<string, string>([...CYRILLIC].map((letter, i) => [letter, LATIN[i] ?? letter]));
for (const [letter, pair] of Object.entries(PAIRS)) LETTERS.set(letter, pair);
for (const [letter, latin] of [...LETTERS]) {
  LETTERS.set(letter.toUpperCase(), (latin[0] ?? "").toUpperCase() + latin.slice(1));
}

export function toLatin(text: string): string {
  const latin = [...text].map((letter) => LETTERS.get(letter) ?? letter).join("");
  // Among capital letters a pair is in capitals, too: ПЛАЋАЊА is PLAĆANJA.
  return latin.replaceAll(CAPITAL_PAIR, (pair) => pair.toUpperCase());
}

const CAPITAL_PAIR = /(?<=\p{Lu})(?:Lj|Nj|Dž)|(?:Lj|Nj|Dž)(?=\p{Lu})/gu;

export function inLatin<T extends object>(texts: T): T {
  return JSON.parse(toLatin(JSON.stringify(texts))) as T;
}
