/** Card, clock, store, situations and recording as the control interface and the kit show them. Amounts are decimal text, as in a profile. */
import type { PairLetters } from "../card/pair-letters.js";

export interface CardPatch {
  readonly pinTriesLeft?: number;
  readonly locked?: boolean;
  readonly disabled?: boolean;
  readonly sum?: string;
  readonly limit?: string;
  readonly counters?: { readonly total?: number } & { readonly [P in PairLetters]?: number };
}

export interface CardRecord {
  readonly reader: "plugged" | "unplugged";
  /** Whether the card is in the reader. If not, it is the last card that was in the reader. */
  readonly inserted: boolean;
  readonly name: string;
  readonly uid: string;
  readonly taxpayer: Readonly<Record<string, string>>;
  /** In the service, or why the service has no card. For a published card, the card's own state. */
  readonly pin: "required" | "verified" | "locked" | "no-card" | "unreachable" | "unsupported";
  readonly pinTriesLeft: number;
  /** `total`, and one for each pair of types by its two letters, such as NS for Normal Sale. */
  readonly counters: Readonly<Record<string, number>>;
  /** Decimal text: the amounts that the card has signed since the last audit. */
  readonly sum: string;
  /** Decimal text: the sum at which the card needs an audit. */
  readonly limit: string;
  readonly disabled: boolean;
  readonly appletVersion: string;
  /** Names of all cards of this world. */
  readonly cards: readonly string[];
}

export interface ClockPatch {
  /** The new time, ISO 8601. */
  readonly at?: string;
  /** Duration by which the clock moves after `at` is set, such as `1h30m`, or `-5m` to move it back. */
  readonly advance?: string;
  readonly ticking?: boolean;
}

export interface ClockRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly ticking: boolean;
}

export interface StoreRecord {
  readonly complete: number;
  /** Number of sales that the card was asked to sign and has not answered. */
  readonly open: number;
  /** Number of sales that the card has counted, but whose signature is lost. */
  readonly lost: number;
  /** Folder that stays after the process ends; null if the folder is temporary. */
  readonly keptIn: string | null;
}

export interface QueuedCommand {
  readonly type: number;
  readonly payload: string;
  /** UID of the card. Default: that of the card in the reader. */
  readonly uid?: string;
}

export interface ScenarioRecord {
  /** Name of the scenario's file, such as `pin/card-locked`. */
  readonly name: string;
  readonly title: string;
  readonly serbian?: { readonly name: string; readonly about?: string; readonly todo?: string };
  /** What happens, what a person does with the POS, and the rows of the rehearsal that the situation judges. */
  readonly about?: string;
  readonly todo?: string;
  readonly rows?: readonly string[];
  /** The situation's `given`, for `POST /control/given`. */
  readonly given: object;
  readonly inOrder?: readonly object[];
  /** Whether a running world can be put into the situation. */
  readonly driven: boolean;
}

export interface RecordingRecord {
  readonly name: string;
  /** A scenario file, YAML. */
  readonly scenario: string;
}
