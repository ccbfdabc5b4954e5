/** Shortens answers for an agent, which pays for each character. */

import { cut } from "../../emulator/faults/match.js";

/** The largest answer of a tool, in characters. What was cut says so, within 20,000. */
export const LONGEST_ANSWER = 19_900;

/** Of a text without a blank: a signature, the picture of a QR code, an address. */
const LONGEST_DATA = 80;

/**
 * Returns the value of a body of JSON with its long texts cut, such as signatures and pictures of QR codes. A body that
 * is still too long, and text that is no JSON, comes as cut text.
 * @param lengths of the whole body, and of each text in it that people read
 */
export function brief(body: string, lengths: { readonly body: number; readonly text: number }): unknown {
  try {
    const value: unknown = JSON.parse(body, (_key, part: unknown) => {
      if (typeof part !== "string") return part;
      return cut(part, /\s/.test(part) ? lengths.text : Math.min(LONGEST_DATA, lengths.text));
    });
    const text = JSON.stringify(value);
    return text.length > lengths.body ? cut(text, lengths.body) : value;
  } catch {
    // The body is no JSON, or is nested too deeply.
    return cut(body, lengths.body);
  }
}
