/** The life of a card as a till sees it (protocol facts, section 1, "Life of a card"). */
import type { World } from "./world.js";

export const LIFE_STATES = [
  "no reader",
  "no card",
  "PIN needed",
  "ready",
  "audit recommended",
  "blocked",
  "PIN locked",
  "disabled",
] as const;
export type LifeState = (typeof LIFE_STATES)[number];

/** An audit is recommended from 75 % of the limit on. */
const RECOMMENDED = { numerator: 3n, denominator: 4n };

export function lifeState(world: World): LifeState {
  if (world.reader.slot === "no-reader") return "no reader";
  if (!world.card) return "no card";
  const { pinTriesLeft, disabled, sum, limit } = world.card.memory.load();
  if (pinTriesLeft === 0) return "PIN locked";
  if (disabled) return "disabled";
  if (world.pinState !== "verified") return "PIN needed";
  if (sum >= limit) return "blocked";
  return sum * RECOMMENDED.denominator >= limit * RECOMMENDED.numerator ? "audit recommended" : "ready";
}
