/** A running service, with any card. */
import type { LoadedConfig } from "../config/load.js";

/** A service that listens. */
export interface Running {
  readonly url: string;
  /** For people. */
  readonly card: string;
  /** Digits of the emulated card's PIN. */
  readonly pin?: string;
  /** Address of the emulator's control interface. */
  readonly control?: string;
  /** Address of the emulated authority, if there is one. */
  readonly authority?: string | undefined;
  /** How a POS calls the emulated online service, if there is one: lines for people. */
  readonly online?: readonly string[];
  stop(): Promise<void>;
  /** Whether a card hangs, so that the process must not wait for it. */
  stuck(): boolean;
}

/** What a service needs besides its settings, to start and to start again. */
export interface Starting {
  /** Flags, variables and file as they are now. */
  readonly load: () => LoadedConfig;
  /** Ends the process: the service could not be started again. */
  readonly gaveUp: (error: unknown) => void;
  /** Called when the service listens again. */
  readonly listens: (url: string) => void;
  /** Ends the process on request of `tillseal stop`. */
  readonly stop: () => void;
}

export function noLongerRecorded(reason: string): void {
  process.stderr.write(`tillseal: recording has stopped: ${reason}\n`);
}
