/**
 * The first record that a console asks for: which service this is and what this caller may see. Only types: the console's code
 * imports this file too.
 */

export interface InfoRecord {
  readonly service: "tillseal";
  readonly version: string;
  /** The commit that the program was built from; "" if it was built without git. */
  readonly build: string;
  /** Process id, for people. */
  readonly pid: number;
  /** Data folder, which contains the secret for `tillseal stop`; null for callers that may not see it. */
  readonly folder: string | null;
  /** `emulator` or `pcsc`. */
  readonly card: string;
  /** Port of the emulator's control interface; null with a real card. */
  readonly controlPort: number | null;
  /** The shop's time zone; null if nothing is configured. */
  readonly timeZone: string | null;
  /** The service's clock: ISO 8601, UTC. An emulated clock differs from the browser's. */
  readonly now: string;
  /** Whether POS requests are kept and this caller may see them. The emulator has its own traffic log. */
  readonly traffic: boolean;
  /** Whether this caller may see receipts and settings. */
  readonly trusted: boolean;
  /** Whether a token decides what a caller may see, instead of the caller's address. */
  readonly asksToken: boolean;
  /** Whether a change of settings needs the card's PIN. */
  readonly asksPin: boolean;
}
