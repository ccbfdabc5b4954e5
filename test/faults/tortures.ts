/** Everything that a run can go through, each with what is real about it. */

import { AUDIT_TORTURES } from "./audit-tortures.js";
import { CARD_TORTURES } from "./card-tortures.js";
import { DISK_TORTURES } from "./disk-tortures.js";
import { PROCESS_TORTURES } from "./process-tortures.js";
import type { Run } from "./run.js";
import { STORE_TORTURES } from "./store-tortures.js";

export interface Torture {
  readonly name: string;
  /** Real: it happens to the real thing, process, reader, disk or file. */
  readonly reality: "real" | "simulated";
  /** It cannot be hidden from a person: something may be reported in place of stored. */
  readonly mayReport?: boolean;
  /** The card answers nonsense, and may do so twice in the same words. */
  readonly oddAnswers?: boolean;
  /** Another one may strike in the same run. */
  readonly alone?: boolean;
  readonly needsDisk?: boolean;
  readonly needsClock?: boolean;
  readonly hangsUp?: boolean;
  /** At least so many POS. */
  readonly leastPos?: number;
  /** Fields of the card's profile. */
  readonly profile?: Readonly<Record<string, unknown>>;
  /** Settings of the service. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The service listens and sells next. */
  arm?(run: Run): Promise<void> | void;
  /** All have their receipts, and the service has ended. */
  atEnd?(run: Run): Promise<void> | void;
}

export const TORTURES: readonly Torture[] = [
  ...PROCESS_TORTURES,
  ...CARD_TORTURES,
  ...DISK_TORTURES,
  ...STORE_TORTURES,
  ...AUDIT_TORTURES,
];
