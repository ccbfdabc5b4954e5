/** The faults of a world. */
import { operationOf } from "../../src/secure-element/apdu/operations.js";
import type { Fault, Operation } from "./fault.js";
import { FaultList } from "./fault-list.js";

export class Faults extends FaultList<Fault, Operation> {
  protected override isAbout({ on }: Fault, operation: Operation): boolean {
    return nameOf(on) === operation;
  }
}

/** Returns the name of an operation. If a number names the operation, finds its name, such as `sign` for `ins:13`. */
function nameOf(on: Operation): Operation {
  return on.startsWith("ins:") ? operationOf(Number.parseInt(on.slice(4), 16)) : on;
}
