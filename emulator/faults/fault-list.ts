/** Keeps the faults that are set, and decides which of them strike. */
import type { Random } from "../../src/base/random.js";
import { LimitError } from "../../src/http/call-errors.js";
import { refused } from "../../src/http/limits.js";
import { operationOf } from "../../src/secure-element/apdu/instructions.js";
import type { Fault, FaultWhere, Operation, SetOf } from "./fault.js";
import { differences, requireMatchers } from "./match.js";

export type Timed = Pick<Fault, "nth" | "probability">;

export const MOST_FAULTS = refused(
  100,
  "100",
  "faults that are set",
  "There are 100 faults already; remove one with DELETE /control/faults/ID",
);

/** A list of faults. @typeParam F a fault @typeParam W an operation that a fault can strike */
export abstract class FaultList<F extends Timed, W> {
  private readonly faults: { id: number; fault: F; seen: number; struck: number }[] = [];
  private lastId = 0;

  constructor(private readonly random: Random) {}

  protected abstract isAbout(fault: F, operation: W): boolean;

  add(fault: F): SetOf<F> {
    this.addAll([fault]);
    return { ...fault, id: this.lastId, seen: 0, struck: 0 };
  }

  /** Adds all faults, or none of them. @throws LimitError if there would be too many */
  addAll(faults: readonly F[]): void {
    if (this.faults.length + faults.length > MOST_FAULTS.value) throw new LimitError(MOST_FAULTS);
    this.faults.push(...faults.map((fault) => ({ id: ++this.lastId, fault, seen: 0, struck: 0 })));
  }

  /** The faults as a `given` has them. */
  get plain(): F[] {
    return this.faults.map(({ fault }) => fault);
  }

  get list(): SetOf<F>[] {
    return this.faults.map(({ id, fault, seen, struck }) => ({ ...fault, id, seen, struck }));
  }

  /** Restores the result of {@link list}, with its ids and counts. */
  restore(list: readonly SetOf<F>[]): void {
    this.faults.push(
      ...list.map(({ id, seen, struck, ...fault }) => ({ id, fault: fault as unknown as F, seen, struck })),
    );
    this.lastId = Math.max(this.lastId, ...list.map(({ id }) => id));
  }

  clear(): void {
    this.faults.length = 0;
  }

  remove(id: number): boolean {
    const index = this.faults.findIndex((set) => set.id === id);
    if (index >= 0) this.faults.splice(index, 1);
    return index >= 0;
  }

  /** Counts an operation, and returns the faults that strike it, in the order in which they were set. */
  due(operation: W): F[] {
    return this.faults.filter((set) => this.strikes(set, operation)).map(({ fault }) => fault);
  }

  /** Returns a random number from the seed, between two limits that are included. */
  between(from: number, to: number): number {
    return from + Math.round(this.fraction() * (to - from));
  }

  randomBytes(count: number): Uint8Array {
    return this.random.bytes(count);
  }

  private strikes(set: { fault: F; seen: number; struck: number }, operation: W): boolean {
    if (!this.isAbout(set.fault, operation)) return false;
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

export interface Occurrence {
  readonly on: Operation;
  /** Returns the request that causes the operation; undefined if no request causes it. */
  readonly request?: () => FaultWhere | undefined;
}

export class Faults extends FaultList<Fault, Occurrence> {
  /** @throws ConfigError if a `where` could never match */
  override addAll(faults: readonly Fault[]): void {
    for (const { where } of faults) requireMatchers(where);
    super.addAll(faults);
  }

  protected override isAbout({ on, where }: Fault, { on: operation, request }: Occurrence): boolean {
    if (nameOf(on) !== operation) return false;
    const sent = where && request?.();
    return where === undefined || (sent !== undefined && differences(where, sent).length === 0);
  }
}

/** Returns the name of an operation. If a number names the operation, finds its name, such as `sign` for `ins:13`. */
function nameOf(on: Operation): Operation {
  return on.startsWith("ins:") ? operationOf(Number.parseInt(on.slice(4), 16)) : on;
}
