/**
 * What the tax authority sent for each card, beside the ledger in the same store: rates, parameters and commands. One call of
 * {@link AuthorityLedger.commit} is one durable commit.
 */

/**
 * - `rates`: a group of tax rates. Its key is the groupId; every group is kept.
 * - `parameters`: the environment parameters.
 * - `timeServer`, `verificationRoot`: addresses that replace those in the parameters.
 */
export type SentName = "rates" | "parameters" | "timeServer" | "verificationRoot";

export interface NewSent {
  readonly uid: string;
  readonly name: SentName;
  /** "" for names with a single value. */
  readonly key: string;
  /** JSON. */
  readonly value: string;
  /** ms since the epoch. */
  readonly receivedAt: number;
}

export interface Sent extends NewSent {
  /** False if the stored value is damaged: its checksum does not match. */
  readonly intact: boolean;
}

/** A command as the authority sent it. */
export interface NewCommand {
  readonly commandId: string;
  readonly type: number;
  /** The text as sent. */
  readonly payload: string;
  /** UID of the card that the command is for. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly receivedAt: number;
}

/**
 * Whether a card's own PIN opens the key in its PKI applet. `asked`: we were about to send the PIN, and
 * recorded no answer. The card may have refused the PIN.
 */
export type OwnPin = "asked" | "accepted" | "refused";

export type CommandOutcome = "done" | "failed";

export interface StoredCommand extends NewCommand {
  /** Ids are in the order of arrival. */
  readonly id: number;
  /** ms since the epoch; null until it is executed. */
  readonly executedAt: number | null;
  readonly outcome: CommandOutcome | null;
  /** Why it failed, for people. */
  readonly reason: string | null;
  /** ms since the epoch; null until the authority knows the outcome. */
  readonly reportedAt: number | null;
  /** The command came in a file that is not signed: a person must say yes before the command changes what is in force. */
  readonly needsYes: boolean;
}

/** A command whose outcome the authority knows. */
export type ReportedCommand = Pick<StoredCommand, "commandId" | "type" | "outcome" | "reason">;

/** Number of failed commands that are read. */
export const MOST_FAILED = 20;
/** A change of what was in force. */
export interface NewMadeChange {
  /** UID of the card. */
  readonly uid: string;
  /** ms since the epoch. */
  readonly at: number;
  /** JSON: a list of ConfigurationChange (src/authority/configuration-change.ts). */
  readonly what: string;
}

export interface MadeChange extends NewMadeChange {
  /** Ids are in the order of time. */
  readonly id: number;
}

/** Number of changes that are kept. */
export const MOST_MADE_CHANGES = 100;

export type AuthorityChange =
  /**
   * A command that the store already has is not executed again. If it was reported, it is reported again: the authority
   * would not send it if it had the report. Ids are GUIDs: their case may differ, and the last spelling is kept. A
   * command that waits for a yes is replaced: the one that comes now may be the authority's.
   */
  | { readonly kind: "received"; readonly command: NewCommand; readonly needsYes?: boolean }
  /** A person has said yes to a command that is not executed yet. */
  | { readonly kind: "confirmed"; readonly id: number }
  /** Replaces what was sent under this name and key before, and becomes the newest. */
  | { readonly kind: "sent"; readonly sent: NewSent }
  | {
      readonly kind: "executed";
      readonly id: number;
      /** ms since the epoch. */
      readonly at: number;
      readonly outcome: CommandOutcome;
      readonly reason: string | null;
    }
  | { readonly kind: "reported"; readonly id: number; readonly at: number }
  /** Only the newest {@link MOST_MADE_CHANGES} are kept. */
  | { readonly kind: "made"; readonly made: NewMadeChange }
  /** A person has seen a change. */
  | { readonly kind: "seen"; readonly id: number; readonly at: number }
  /** Replaces what was recorded for this card. */
  | { readonly kind: "own-pin"; readonly uid: string; readonly outcome: OwnPin; readonly at: number };

export interface AuthorityLedger {
  /**
   * Writes all changes or none; they are on the disk when the promise resolves. A change that contradicts the
   * store fails as "damaged": to execute a command twice, to report a command that is not executed or is already reported,
   * to confirm a command that needs no yes, or to see a change twice.
   * @throws LedgerError nothing was written
   */
  commit(changes: readonly AuthorityChange[]): Promise<void>;
  /** What the authority sent for every card, in the order of sending. @throws LedgerError */
  sent(): Promise<readonly Sent[]>;
  /** A card's commands that are not reported yet, in the order of arrival. @throws LedgerError */
  openCommands(uid: string): Promise<readonly StoredCommand[]>;
  /** A card's commands that are reported, in the order of arrival. @throws LedgerError */
  reportedCommands(uid: string): Promise<readonly ReportedCommand[]>;
  /**
   * A card's failed commands that still matter, newest first, at most {@link MOST_FAILED}: neither a later command of the
   * same type nor a later proof of audit (type 5) was executed. @throws LedgerError
   */
  failedCommands(uid: string): Promise<readonly StoredCommand[]>;
  /** The commands of all cards that wait for a yes, in the order of arrival. @throws LedgerError */
  heldCommands(): Promise<readonly StoredCommand[]>;
  /** The changes for all cards that a person has not seen, the oldest first. @throws LedgerError */
  madeChanges(): Promise<readonly MadeChange[]>;
  /** Undefined if the card's own PIN was never tried on its PKI applet. @throws LedgerError */
  ownPin(uid: string): Promise<OwnPin | undefined>;
}
