/**
 * Finds labels in the wrong script. Some Latin and Cyrillic letters look the same, so such a label looks right, but the
 * service does not know it.
 */

const LATIN = "ABCEHIJKMOPSTXY";
const CYRILLIC = "АВСЕНІЈКМОРЅТХУ";

const LATIN_OF = new Map([...CYRILLIC].map((letter, i) => [letter, LATIN[i] ?? letter]));

/** Returns the shape of a label: a text that is the same for all labels that look the same. */
function shape(label: string): string {
  return [...label].map((letter) => LATIN_OF.get(letter) ?? letter).join("");
}

/** Returns the name of a letter, such as `Latin E (U+0045)`. */
function named(letter: string): string {
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const script = /\p{Script=Cyrillic}/u.test(letter) ? "Cyrillic " : /\p{Script=Latin}/u.test(letter) ? "Latin " : "";
  return `${script}${letter} (U+${code})`;
}

/**
 * @param label an unknown label, in capital letters
 * @param known the labels in force, in capital letters
 * @returns the difference, such as `Latin E (U+0045); this environment has Cyrillic Е (U+0415)`; undefined if no label
 * looks the same
 */
export function lookAlike(label: string, known: Iterable<string>): string | undefined {
  const match = [...known].find((other) => other !== label && shape(other) === shape(label));
  if (match === undefined) return undefined;
  const others = [...match];
  const differences = [...label].flatMap((letter, i) => {
    const other = others[i];
    return other === undefined || other === letter ? [] : [[letter, other] as const];
  });
  const names = (index: 0 | 1) => differences.map((pair) => named(pair[index])).join(", ");
  return `${names(0)}; this environment has ${names(1)}`;
}
