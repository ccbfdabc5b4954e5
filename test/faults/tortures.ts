/** Every fault that a run can have, with a note about what is real in it. */

import { AUDIT_TORTURES } from "./audit-tortures.js";
import { CARD_TORTURES } from "./card-tortures.js";
import { DISK_TORTURES } from "./disk-tortures.js";
import { LOSS_TORTURES } from "./loss-tortures.js";
import { PROCESS_TORTURES } from "./process-tortures.js";
import { PUBLISHED_TORTURES } from "./published-torture.js";
import type { Run } from "./run.js";
import { STORE_TORTURES } from "./store-tortures.js";

export interface Torture {
  readonly name: string;
  /** "real" when it happens to the real process, reader, disk or file. */
  readonly reality: "real" | "simulated";
  /** It cannot be hidden from a person: a receipt may be reported instead of stored. */
  readonly mayReport?: boolean;
  /** The card answers nonsense, possibly the same nonsense twice. */
  readonly oddAnswers?: boolean;
  /** Another fault may happen in the same run. */
  readonly alone?: boolean;
  readonly needsDisk?: boolean;
  readonly needsClock?: boolean;
  readonly hangsUp?: boolean;
  readonly leastPos?: number;
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly flags?: Readonly<Record<string, string>>;
  /** The service listens and sells next. */
  arm?(run: Run): Promise<void> | void;
  /** All POS have their receipts, and the service has ended. */
  atEnd?(run: Run): Promise<void> | void;
}

export const TORTURES: readonly Torture[] = [
  ...PROCESS_TORTURES,
  ...CARD_TORTURES,
  ...DISK_TORTURES,
  ...STORE_TORTURES,
  ...AUDIT_TORTURES,
  ...LOSS_TORTURES,
  ...PUBLISHED_TORTURES,
];
