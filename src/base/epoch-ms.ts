/** A point in time: ms since the epoch. */
export type EpochMs = number;
