/** Text from a card or a request on its way to a terminal or a log: what could be a control sequence is shown as its code. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}
