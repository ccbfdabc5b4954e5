/** Describes why a setting cannot have a value. The file has only types, because the console's code imports it, too. */

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

/** Why a value is refused: as a text in English, and as a reason for the console's other languages. */
export interface SettingProblem extends SettingReason {
  readonly text: string;
}
