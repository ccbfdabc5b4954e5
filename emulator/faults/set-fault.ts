/** A fault that is set, with its counts. */
import type { Fault } from "./fault.js";

/** @typeParam F a fault of the emulator or of the proxy */
export type SetOf<F> = F & {
  readonly id: number;
  /** How many matching operations there were since the fault was set. */
  readonly seen: number;
  /** How often the fault has struck. */
  readonly struck: number;
};

export type SetFault = SetOf<Fault>;
