/** The record of changes, as the console shows it. */
import type { ShownChange } from "../../bookkeeping/changes/shown-change.js";

export interface ChangesRecord {
  /** The newest changes, newest first. */
  readonly changes: readonly ShownChange[];
}
