/** The first record that a console asks for. It says which service answers and what the caller may see. */

export interface InfoRecord {
  readonly service: "tillseal";
  readonly version: string;
  /** The commit that the program was built from; "" if it was built without git. */
  readonly build: string;
  /** Proves to a command that the service has the secret in its data folder; null if the request has no nonce. */
  readonly proof: string | null;
  /** Process id of the service, to show to people. */
  readonly pid: number;
  /** Data folder, which contains the secret for `tillseal stop`; null for callers that may not see it. */
  readonly folder: string | null;
  /** Kind of the card: `emulator`, or `pcsc` for a real card. */
  readonly card: string;
  /** Port of the emulator's control interface; null with a real card. */
  readonly controlPort: number | null;
  /** The shop's time zone; null while the service has no environment. */
  readonly timeZone: string | null;
  /** Time of the service's clock: ISO 8601, UTC. An emulated clock differs from the browser's clock. */
  readonly now: string;
  /** Whether the service keeps POS requests and this caller may see them. The emulator has its own traffic log. */
  readonly traffic: boolean;
  /** Whether this caller may see receipts and settings. */
  readonly trusted: boolean;
  /** Whether a token decides what a caller may see, instead of the caller's address. */
  readonly asksToken: boolean;
  /** Whether a change of settings needs the card's PIN. */
  readonly asksPin: boolean;
}
