/** Finds the place in a scenario's file that is the reason why the world cannot be made. */

import { MAIN_CARD } from "../../emulator/card/named-cards.js";
import { ConfigError } from "../../src/config/config-error.js";
import type { FilePlace, Scenario } from "./scenario.js";

/** Matches an error about a place in `given`, such as `given.environment: parameters.country must ...`. */
const IN_GIVEN = /^given((?:\.\w+|\[\d+\])*)(?:: (\w+(?:\.\w+|\[\d+\])*))?/;
/** Matches an error about a field of a card, such as `card main: uid must ...`. */
const IN_CARD = /^card (\S+): (\w*)/;

/** Returns the place of the mistake. It has no column if `given` is not the cause, for example if a port is in use. */
export function wrongGiven(error: unknown, { placeOf }: Scenario): Omit<FilePlace, "column"> & Partial<FilePlace> {
  if (!(error instanceof ConfigError)) return { line: 1 };
  return placeOf?.(["given", ...pathIn(error.message)]) ?? { line: 1 };
}

function pathIn(message: string): (string | number)[] {
  const [, card, field = ""] = IN_CARD.exec(message) ?? [];
  if (card !== undefined) return card === MAIN_CARD ? ["card", field] : ["otherCards", card, field];
  const [, place = "", below = ""] = IN_GIVEN.exec(message) ?? [];
  const parts = `${place}.${below}`.match(/\w+/g) ?? [];
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
