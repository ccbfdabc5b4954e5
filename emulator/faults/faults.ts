/** The faults of a world. */
import { operationOf } from "../../src/secure-element/apdu/operations.js";
import type { Fault, Operation } from "./fault.js";
import { FaultList } from "./fault-list.js";

export class Faults extends FaultList<Fault, Operation> {
  protected override isAbout({ on }: Fault, operation: Operation): boolean {
    return nameOf(on) === operation;
  }
}

/** The name of an operation that is given by its number: `ins:13` is `sign`. */
function nameOf(on: Operation): Operation {
  return on.startsWith("ins:") ? operationOf(Number.parseInt(on.slice(4), 16)) : on;
}
