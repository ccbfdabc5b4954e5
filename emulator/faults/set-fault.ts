/** A fault that is set, and how often it has struck. */
import type { Fault } from "./fault.js";

/** @typeParam F a fault of the emulator or of the proxy */
export type SetOf<F> = F & {
  readonly id: number;
  /** How often what it is about has come since it was set. */
  readonly seen: number;
  /** How often it has struck. */
  readonly struck: number;
};

export type SetFault = SetOf<Fault>;
