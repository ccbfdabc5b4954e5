/**
 * Finds labels that look the same in two scripts. Some Latin, Cyrillic and Greek letters look the same, so a label in the
 * wrong script looks right, but the service does not know it.
 */

const LATIN_OF = new Map([
  ...pairs("АВСЕНІЈКМОРЅТХУ", "ABCEHIJKMOPSTXY"),
  ...pairs("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
  // Cyrillic and Greek.
  ...pairs("ГПФ", "ΓΠΦ"),
]);

function pairs(letters: string, others: string): (readonly [string, string])[] {
  return [...letters].map((letter, i) => [letter, [...others][i] ?? letter]);
}

/** Returns the shape of a label: a text that is the same for all labels that look the same. */
function shape(label: string): string {
  return [...label].map((letter) => LATIN_OF.get(letter) ?? letter).join("");
}

function scriptOf(letter: string): string {
  if (/\p{Script=Cyrillic}/u.test(letter)) return "Cyrillic ";
  if (/\p{Script=Greek}/u.test(letter)) return "Greek ";
  return /\p{Script=Latin}/u.test(letter) ? "Latin " : "";
}

function codeOf(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Makes a function that shows a label, such as `А (Cyrillic U+0410)` if another one of the labels looks the same. */
export function toldApart(labels: Iterable<string>): (label: string) => string {
  const looks = new Map<string, number>();
  for (const label of new Set(labels)) looks.set(look(label), (looks.get(look(label)) ?? 0) + 1);
  return (label) => {
    if ((looks.get(look(label)) ?? 0) < 2) return label;
    return `${label} (${[...label].map((letter) => scriptOf(letter) + codeOf(letter)).join(", ")})`;
  };
}

/** The {@link shape} of a label without what a reader does not see: spaces, invisible characters, another width. */
function look(label: string): string {
  return shape(label.normalize("NFKC").toUpperCase()).replaceAll(/[\p{Cf}\p{Mn}\s]/gu, "");
}

/** A letter with its code, such as `E (U+0045)`, and its script, such as `Latin `. */
type NamedLetter = readonly [script: string, shown: string];

/**
 * @param label an unknown label, in capital letters
 * @param known the labels in force, in capital letters
 * @returns the first letter that differs from that of a label that looks the same; undefined if no label does
 */
export function lookAlike(label: string, known: Iterable<string>): readonly [NamedLetter, NamedLetter] | undefined {
  const match = [...known].find((other) => other !== label && shape(other) === shape(label));
  const others = [...(match ?? "")];
  const letters = [...label].map((letter, i) => [letter, others[i] ?? letter] as const);
  const pair = letters.find(([letter, other]) => letter !== other);
  return pair && [named(pair[0]), named(pair[1])];
}

function named(letter: string): NamedLetter {
  return [scriptOf(letter), `${letter} (${codeOf(letter)})`];
}
