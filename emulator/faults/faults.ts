/** The faults of a world that are set, and which of them strike now. */
import { operationOf } from "../../src/secure-element/apdu/operations.js";
import type { Fault, Operation } from "./fault.js";
import { FaultList } from "./fault-list.js";

export class Faults extends FaultList<Fault, Operation> {
  protected override isAbout({ on }: Fault, operation: Operation): boolean {
    return nameOf(on) === operation;
  }
}

/** `ins:13` is `sign` by its number. */
function nameOf(on: Operation): Operation {
  return on.startsWith("ins:") ? operationOf(Number.parseInt(on.slice(4), 16)) : on;
}
