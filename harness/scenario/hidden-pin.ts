/** Hides the PIN of a real card in everything that a run prints. A service may repeat the PIN in any answer. */

/** Characters, or their codes in printed text, that a service may put between the digits. */
const BETWEEN = String.raw`(?:[^\p{L}\p{N}]|\\u[0-9a-f]{4}){0,3}`;

/** @returns a function that masks this PIN in a text, also if its digits are spaced or encoded */
export function hidingPin(pin: string | undefined): (text: string) => string {
  if (pin === undefined) return (text) => text;
  const forms = (digit: string) =>
    String.raw`(?:${digit}|%3${digit}|\\u003${digit}|&#0*${48 + Number(digit)};|&#x0*3${digit};)`;
  const hidden = new RegExp([...pin].map(forms).join(BETWEEN), "giu");
  return (text) => text.replace(hidden, "****");
}
