/** Parser for flags that are durations. */
import { InvalidArgumentError } from "commander";
import { DURATION_TEXT, parseDuration } from "../base/duration.js";

/** @returns ms. @throws InvalidArgumentError if the text is not a duration, or 0 */
export function durationFlag(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError(`expected ${DURATION_TEXT}`);
}
