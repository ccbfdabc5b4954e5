/** The states of a card's life as the POS sees them (protocol facts, section 1, "Life of a card"). */
import { isAuditDue, isLimitReached } from "../../src/fiscal/limit.js";
import type { World } from "./world.js";

export type LifeState =
  | "no reader"
  | "no card"
  | "not configured"
  | "PIN needed"
  | "ready"
  | "audit recommended"
  | "blocked"
  | "PIN locked"
  | "disabled";

export function lifeState(world: World): LifeState {
  if (world.reader.slot === "no-reader") return "no reader";
  if (!world.card) return "no card";
  const { pinTriesLeft, disabled, sum, limit } = world.card.memory.load();
  if (pinTriesLeft === 0) return "PIN locked";
  if (disabled) return "disabled";
  if (!world.service.configured) return "not configured";
  if (world.pinState !== "verified") return "PIN needed";
  if (isLimitReached({ sum, limit })) return "blocked";
  return isAuditDue({ sum, limit }) ? "audit recommended" : "ready";
}
