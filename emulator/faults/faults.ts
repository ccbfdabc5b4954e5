/** The faults that are set, and which of them strike now. */

import type { Random } from "../../src/random.js";
import { operationOf } from "../../src/secure-element/apdu/operations.js";
import { EMULATOR_LIMITS, LimitError } from "../limits.js";
import type { Fault, Operation } from "./fault.js";

export interface SetFault extends Fault {
  readonly id: number;
  /** How often its operation has come since it was set. */
  readonly seen: number;
  /** How often it has struck. */
  readonly struck: number;
}

export class Faults {
  private readonly faults: { id: number; fault: Fault; seen: number; struck: number }[] = [];
  private lastId = 0;

  constructor(private readonly random: Random) {}

  /** @throws LimitError where there are too many */
  add(fault: Fault): SetFault {
    if (this.faults.length >= EMULATOR_LIMITS.faults.value) throw new LimitError(EMULATOR_LIMITS.faults);
    this.faults.push({ id: ++this.lastId, fault, seen: 0, struck: 0 });
    return { ...fault, id: this.lastId, seen: 0, struck: 0 };
  }

  get list(): SetFault[] {
    return this.faults.map(({ id, fault, seen, struck }) => ({ ...fault, id, seen, struck }));
  }

  /** Restores what {@link list} returned, with its ids and counts. */
  restore(list: readonly SetFault[]): void {
    this.faults.push(...list.map(({ id, seen, struck, ...fault }) => ({ id, fault, seen, struck })));
    this.lastId = Math.max(this.lastId, ...list.map(({ id }) => id));
  }

  clear(): void {
    this.faults.length = 0;
  }

  /** Whether there was such a fault. */
  remove(id: number): boolean {
    const index = this.faults.findIndex((set) => set.id === id);
    if (index >= 0) this.faults.splice(index, 1);
    return index >= 0;
  }

  /** The faults that strike this time, in the order in which they were set. */
  due(operation: Operation): Fault[] {
    return this.faults.filter((set) => this.strikes(set, operation)).map(({ fault }) => fault);
  }

  /** A number between two, both included, from the seed. */
  between(from: number, to: number): number {
    return from + Math.round(this.fraction() * (to - from));
  }

  randomBytes(count: number): Uint8Array {
    return this.random.bytes(count);
  }

  private strikes(set: { fault: Fault; seen: number; struck: number }, operation: Operation): boolean {
    if (nameOf(set.fault.on) !== operation) return false;
    set.seen++;
    if (set.fault.nth !== undefined && set.fault.nth !== set.seen) return false;
    if (set.fault.probability !== undefined && this.fraction() >= set.fault.probability) return false;
    set.struck++;
    return true;
  }

  private fraction(): number {
    return Buffer.from(this.random.bytes(4)).readUInt32BE(0) / 2 ** 32;
  }
}

/** `ins:13` is `sign` by its number. */
function nameOf(on: Operation): Operation {
  return on.startsWith("ins:") ? operationOf(Number.parseInt(on.slice(4), 16)) : on;
}
