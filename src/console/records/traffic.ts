/** POS requests, as the console shows them. */
import type { TrafficEntry } from "../../http/traffic/traffic-entry.js";

/** A POS request, its answer, and the exchanges with the card meanwhile. PINs are masked. */
export interface TrafficRecord extends Omit<TrafficEntry, "at"> {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** What the POS should change, although the service must accept it. Only the emulator says it. */
  readonly notes?: readonly string[];
}
