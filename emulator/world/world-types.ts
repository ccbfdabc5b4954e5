/** Clock, store, situations and recording as the control interface shows them. */

export interface ClockRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly ticking: boolean;
}

export interface StoreRecord {
  /** Number of sales that are signed and stored. */
  readonly complete: number;
  /** Number of sales that the card was asked to sign and has not answered. */
  readonly open: number;
  /** Number of sales that the card has counted, but whose signature is lost. */
  readonly lost: number;
  /** Folder that stays after the process ends; null if the folder is temporary. */
  readonly keptIn: string | null;
}

/** A situation that comes with the package. */
export interface ScenarioRecord {
  /** Name of the scenario's file, such as `pin/card-locked`. */
  readonly name: string;
  readonly title: string;
  /** The situation's `given`, for `POST /control/given`. */
  readonly given: object;
}

export interface RecordingRecord {
  readonly name: string;
  /** A scenario file, YAML. */
  readonly scenario: string;
}
