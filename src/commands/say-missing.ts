/** Reports a missing card to a person or to a program. */
import type { Missing } from "../secure-element/pcsc/missing.js";
import { printJson } from "./print.js";

/** People and programs get the same sentence; programs also get its kind. */
export function sayMissing(kind: Missing | "card-error", message: string, json: boolean): void {
  if (json) printJson({ missing: kind, message });
  else process.stderr.write(`tillseal: ${message}\n`);
  process.exitCode = 1;
}
