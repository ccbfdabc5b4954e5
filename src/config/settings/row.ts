/** Describes the columns of the table of settings. */

/** JSON schema of a setting's value. `x-expected` says in words what the pattern asks for. */
export type ValueSchema =
  | { readonly type: "boolean" }
  | { readonly type: "integer"; readonly minimum: number; readonly maximum: number }
  | { readonly type: "integer"; readonly enum: readonly number[] }
  | { readonly type: "string"; readonly minLength: 1 }
  | { readonly type: "string"; readonly enum: readonly string[] }
  | { readonly type: "string"; readonly pattern: string; readonly "x-expected": string }
  | { readonly type: "array"; readonly items: { readonly type: "string"; readonly minLength: 1 } }
  | {
      readonly type: "array";
      readonly items: { readonly type: "string"; readonly enum: readonly string[] };
      readonly minItems: number;
      readonly uniqueItems: true;
    };

/** Sections of the console's page Settings, in their order. */
export type ConsoleSection = "contact" | "backups" | "listen" | "receipts" | "tills";

export interface SettingRow {
  readonly schema: ValueSchema;
  /** A setting without a default is undefined until a person sets it. */
  readonly default?: unknown;
  /** For docs, `--help`, `tillseal config` and console. In the package for shops it does not mention the emulator. */
  readonly description: string;
  /**
   * `behaviour`: how the service behaves. A scenario and the control interface may set it, too. All else belongs to this
   * machine, such as addresses, files and the card; `emulator`: only in the package that has the emulator.
   */
  readonly scope?: "behaviour" | "emulator";
  /**
   * The section in which the console shows and changes the setting. The console leaves out settings without a section:
   * files, folders, the card and who may call are decided at the machine, and the log and the traffic log differ
   * between card and emulator.
   */
  readonly console?: ConsoleSection;
  /** Whether the record of changes leaves the value out. */
  readonly secret?: true;
}

export interface ConsoleRow extends SettingRow {
  readonly console: ConsoleSection;
}

/** Why a setting cannot have a value. The console has the text of each reason in its other languages. */
export interface SettingProblem {
  readonly text: string;
  readonly reason:
    | ("refusedInteger" | "refusedChoice" | "refusedBoolean" | "refusedList" | "refusedText" | "refusedSegment")
    | ("refusedOverruled" | "refusedUnknown" | "refusedInUse" | "refusedRights" | "refusedReserved")
    | ("refusedNotHere" | "refusedListening");
  readonly values: Readonly<Record<string, string | number>>;
}

export type SettingRows = Readonly<Record<string, SettingRow>>;

export const BOOLEAN = { type: "boolean" } as const;
export const TEXT = { type: "string", minLength: 1 } as const;

type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : Schema extends { readonly type: "array"; readonly items: infer Item }
    ? readonly ValueOf<Item>[]
    : Schema extends { readonly type: "boolean" }
      ? boolean
      : Schema extends { readonly type: "integer" }
        ? number
        : string;

/** Names of settings that always have a value; those of the emulator have none in the package for shops. */
type Always<Rows extends SettingRows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly scope: "emulator" }
    ? never
    : Rows[Name] extends { readonly default: unknown }
      ? Name
      : never;
}[keyof Rows];

type ValuesOf<Rows extends SettingRows> = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]["schema"]> };

/** The values of all settings of a table, by name. In an editor, "Go to definition" leads from a value to its row. */
export type SettingsOf<Rows extends SettingRows> = ValuesOf<Pick<Rows, Always<Rows>>> &
  Partial<ValuesOf<Omit<Rows, Always<Rows>>>>;

/** Names of the settings that the console shows and changes. */
export type ConsoleOf<Rows extends SettingRows> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly console: ConsoleSection } ? Name : never;
}[keyof Rows];
