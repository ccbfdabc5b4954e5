/** Makes a text from a card or a request safe for a line on a terminal: control characters are shown as their codes. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, codesOf);
}

/**
 * Escapes what could control a terminal or turn the direction of a text. Line breaks, tabs and a byte order mark stay.
 * In JSON the codes mean the same text.
 */
export function printableText(text: string): string {
  return text.replace(/(?!\r\n)[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, codesOf);
}

/** A character outside the BMP has two codes, as in JSON. */
function codesOf(char: string): string {
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
