/**
 * The rates, parameters and commands that the tax authority sent for each card. They are in the same store as the
 * ledger. One call of {@link AuthorityLedger.commit} is one durable commit.
 */
import type { EpochMs } from "../base/epoch-ms.js";

/**
 * - `rates`: a group of tax rates. Its key is the groupId; every group is kept.
 * - `parameters`: the environment parameters.
 * - `timeServer`, `verificationRoot`: addresses that replace the addresses in the parameters.
 */
export type SentName = "rates" | "parameters" | "timeServer" | "verificationRoot";

/**
 * Where a value came from. No signature protects a file (from a stick, for example) or a backup, so a person said yes to
 * their values.
 */
export type SentSource = "authority" | "file" | "backup";

export interface NewSent {
  readonly uid: string;
  readonly name: SentName;
  /** The groupId of rates, after `file ` if the authority itself did not send them; "" for the other names, which have one value each. */
  readonly key: string;
  /** JSON. */
  readonly value: string;
  readonly receivedAt: EpochMs;
  readonly source: SentSource;
  /**
   * Null if the authority itself sent the value. Else: ms since the epoch until which its rates are chosen for sales,
   * {@link NO_END} until the authority itself has sent rates.
   */
  readonly fileUntil: number | null;
}

/** The last time that a Date can have, in ms since the epoch. */
export const NO_END = 8.64e15;

export interface Sent extends NewSent {
  /** False if the stored value is damaged: its checksum does not match. */
  readonly intact: boolean;
}

/** A command as the authority sent it. */
export interface NewCommand {
  /** A GUID, as the authority sent it. Upper and lower case have no meaning in it. */
  readonly commandId: string;
  /** `COMMAND_TYPE` in tax-authority.ts has the known types. */
  readonly type: number;
  /**
   * The text as the authority sent it; of an executed command at most {@link KEPT_CHARACTERS}; of an unreadable command,
   * the names of the wrong fields.
   */
  readonly payload: string;
  /** UID of the card that the command is for; "" if an unreadable command has no UID. */
  readonly uid: string;
  readonly receivedAt: EpochMs;
  /** Whether the command came in a file, which is not signed. */
  readonly fromFile: boolean;
}

/**
 * Whether a card's own PIN opens the key in its PKI applet. `asked`: the service was about to send the PIN, and no
 * answer was recorded. The card may have refused the PIN.
 */
export type OwnPin = "asked" | "accepted" | "refused";

type CommandOutcome = "done" | "failed";

export interface StoredCommand extends NewCommand {
  /** The ids of commands are in the order of arrival. */
  readonly id: number;
  /** Null until the command is executed. */
  readonly executedAt: EpochMs | null;
  readonly outcome: CommandOutcome | null;
  /** Why the command failed, for people; null if it did not fail. */
  readonly reason: string | null;
  /** Null until the authority knows the outcome. */
  readonly reportedAt: EpochMs | null;
  /** Whether a person must still say yes before the command changes rates or parameters. */
  readonly needsYes: boolean;
  /** False if the stored row is damaged: the command is not executed. */
  readonly intact: boolean;
}

/** A command whose outcome the authority knows. */
export type ReportedCommand = Pick<StoredCommand, "commandId" | "type" | "outcome" | "reason">;

/**
 * Number of characters that the store keeps of an executed command's payload, for people. A search reads over all
 * commands, and files may bring any number of long ones.
 */
export const KEPT_CHARACTERS = 500;

/** Maximum number of commands that {@link AuthorityLedger.failedCommands} returns. */
export const MOST_FAILED = 20;
/** One value of rates or parameters that has changed. */
export interface ConfigurationChange {
  /**
   * What has changed: a tax label, with its script if another label looks the same; or a parameter, with its name in `environment-parameters`; or `groupId`, `validFrom`
   * or `taxCategories`.
   */
  readonly name: string;
  /** The group of a changed rate; otherwise null. Times are ISO 8601, UTC. */
  readonly group: {
    readonly id: number;
    readonly validFrom: string;
    /** Time of the sales to which rates of a file apply, if they apply to some sales only. */
    readonly chosen?: { readonly from: string; readonly until: string };
  } | null;
  /** The old value; null if there was none. */
  readonly before: string | null;
  /** The new value; null if there is none. */
  readonly after: string | null;
}

/** A change of the rates or parameters that were in force. */
export interface NewMadeChange {
  readonly uid: string;
  readonly at: EpochMs;
  /** JSON: a list of {@link ConfigurationChange}. */
  readonly what: string;
}

export interface MadeChange extends NewMadeChange {
  /** The ids of changes are in the order of time. */
  readonly id: number;
}

/** Maximum number of changes that the store keeps. */
export const MOST_MADE_CHANGES = 100;

export type AuthorityChange =
  /**
   * A command has arrived. If the store already has the command, it is not executed again. If the command was reported,
   * it is reported again, because the authority would not send the command if it had the report. Ids are GUIDs: the
   * same id may come in another case, and the store keeps the last spelling. A stored command that waits for a yes is
   * replaced, because the new command may come from the authority. If the authority itself sends rates or parameters that
   * a file has brought before, they are executed again: from then on they are the authority's.
   */
  | { readonly kind: "received"; readonly command: NewCommand; readonly needsYes?: boolean }
  /** A person has said yes to a command that is not executed yet. */
  | { readonly kind: "confirmed"; readonly id: number }
  /** A value has arrived. It replaces the value with the same name and key, and becomes the newest. */
  | { readonly kind: "sent"; readonly sent: NewSent }
  | {
      readonly kind: "executed";
      readonly id: number;
      readonly at: EpochMs;
      readonly outcome: CommandOutcome;
      readonly reason: string | null;
    }
  | { readonly kind: "reported"; readonly id: number; readonly at: number }
  /**
   * Rates or parameters that were in force have changed. The store keeps only the newest {@link MOST_MADE_CHANGES}
   * changes.
   */
  | { readonly kind: "made"; readonly made: NewMadeChange }
  /** A person has seen a change. */
  | { readonly kind: "seen"; readonly id: number; readonly at: number }
  /**
   * Whether the card's own PIN opens the key in its PKI applet. This replaces what was recorded for the card before.
   */
  | { readonly kind: "own-pin"; readonly uid: string; readonly outcome: OwnPin; readonly at: number };
