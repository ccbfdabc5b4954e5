/** Why a setting cannot have a value. Only types: the console's code imports this file too. */

/** The name of the console's text about a refused value, and the values in that text. */
export interface SettingReason {
  readonly reason:
    | ("refusedInteger" | "refusedChoice" | "refusedBoolean" | "refusedList" | "refusedText" | "refusedSegment")
    | (
        | "refusedOverruled"
        | "refusedUnknown"
        | "refusedInUse"
        | "refusedRights"
        | "refusedReserved"
        | "refusedNotHere"
        | "refusedListening"
      );
  readonly values: Readonly<Record<string, string | number>>;
}

/** A refused value in English, and as a reason for the console's other languages. */
export interface SettingProblem extends SettingReason {
  readonly text: string;
}
