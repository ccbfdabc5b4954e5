/** The record of changes, as the console shows it. Only types: the console's code imports this file too. */
import type { ShownChange } from "../../bookkeeping/changes/shown-change.js";

/** The record of changes. */
export interface ChangesRecord {
  /** The newest changes, newest first. */
  readonly changes: readonly ShownChange[];
}
