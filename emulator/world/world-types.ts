/** Clock, store, situations and recording as the control interface shows them. */

export interface ClockRecord {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly ticking: boolean;
}

export interface StoreRecord {
  /** Sales that are signed and stored. */
  readonly complete: number;
  /** Sales that the card was asked to sign and has not answered. */
  readonly open: number;
  /** Sales that the card has counted, and whose signature is lost. */
  readonly lost: number;
  /** Folder that outlives the process; null for a temporary one. */
  readonly keptIn: string | null;
}

/** A situation that comes with the package. */
export interface ScenarioRecord {
  /** Name of the scenario's file: `pin/card-locked`. */
  readonly name: string;
  readonly title: string;
  /** The world that it starts from, for `POST /control/given`. */
  readonly given: object;
}

export interface RecordingRecord {
  readonly name: string;
  /** A scenario file, YAML. */
  readonly scenario: string;
}
