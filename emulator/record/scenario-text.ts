/** A recorded session in the words of a scenario file. */
import { stringify } from "yaml";
import { systemClock } from "../../src/clock.js";
import { toIso } from "../../src/fiscal/time.js";
import type { Step } from "../scenario/scenario.js";
import type { Given } from "../world/given.js";

/** For people to read and edit: no folded lines, and a thing that stands twice is written twice, without an anchor. */
const FORM = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Everything in front of the first step. */
export function headText(given: Given): string {
  const name = `Recorded on ${toIso(systemClock.now()).slice(0, 16).replace("T", " at ")} UTC`;
  return `${stringify({ name, given }, FORM)}steps:\n`;
}

export function stepText(step: Step): string {
  return stringify([step], FORM).replace(/^(?=.)/gm, "  ");
}

/** The PIN that the session may show: the emulated card's own. */
export function pinOf({ card = {} }: Given): string {
  const { pin = "1234" } = card as { pin?: string };
  return pin;
}
