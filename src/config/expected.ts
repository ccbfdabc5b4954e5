/**
 * Describes what the value of a setting must be: in English, and as a reason that the console shows in three
 * languages.
 */
import type { SettingReason } from "./setting-problem.js";
import { SETTINGS, type SettingName } from "./settings.js";

/** The values to choose from; for a list, the values of an entry. Undefined if any value of the type is allowed. */
export function choicesOf(name: SettingName): readonly (string | number)[] | undefined {
  const { schema } = SETTINGS[name];
  if ("enum" in schema) return schema.enum;
  return schema.type === "array" && "enum" in schema.items ? schema.items.enum : undefined;
}

/** What the value must be, in English, such as `an integer from 0 to 65535`. */
export function expected(name: SettingName): string {
  const { schema } = SETTINGS[name];
  if ("enum" in schema) return schema.enum.join(" or ");
  switch (schema.type) {
    case "integer":
      return `an integer from ${schema.minimum} to ${schema.maximum}`;
    case "boolean":
      return "true or false";
    case "array":
      return "enum" in schema.items ? `a list of ${schema.items.enum.join(", ")}` : "a list of texts";
    case "string":
      return "pattern" in schema ? schema["x-expected"] : "a text that is not empty";
  }
}

/** The same as {@link expected}, for every language. */
export function expectation(name: SettingName): SettingReason {
  const { schema } = SETTINGS[name];
  if ("enum" in schema) return { reason: "refusedChoice", values: { choices: schema.enum.join(", ") } };
  switch (schema.type) {
    case "integer":
      return { reason: "refusedInteger", values: { from: schema.minimum, to: schema.maximum } };
    case "boolean":
      return { reason: "refusedBoolean", values: {} };
    case "array":
      return { reason: "refusedList", values: { choices: (choicesOf(name) ?? []).join(", ") } };
    case "string":
      return { reason: "pattern" in schema ? "refusedSegment" : "refusedText", values: {} };
  }
}
