/** Makes a text from a card or a request safe for a terminal or a log: control characters are shown as their codes. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}
