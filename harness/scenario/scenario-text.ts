/** Writes a recorded session as the YAML of a scenario file. */
import { stringify } from "yaml";
import type { Given } from "../../emulator/world/given.js";
import { systemClock } from "../../src/base/clock.js";
import { toIso } from "../../src/fiscal/time.js";
import type { WrittenStep } from "./scenario.js";

/** YAML options for files that people read and edit: no folded lines, and no anchors for repeated values. */
const FORM = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Writes the part of the file in front of the first step. */
export function headText(given: Given): string {
  const name = `Recorded on ${toIso(systemClock.now()).slice(0, 16).replace("T", " at ")} UTC`;
  return `${stringify({ name, given }, FORM)}steps:\n`;
}

export function stepText(step: WrittenStep): string {
  return stringify([step], FORM).replace(/^(?=.)/gm, "  ");
}

/** Returns the emulated card's PIN. A recorded session may show no other PIN. */
export function pinOf({ card = {} }: Given): string {
  const { pin = "1234" } = card as { pin?: string };
  return pin;
}
