/** Parser for flags that are ports. */
import { InvalidArgumentError } from "commander";

/** 0 is a free port. @throws InvalidArgumentError if the text is not a port */
export function portFlag(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("expected a number from 0 to 65535");
}
