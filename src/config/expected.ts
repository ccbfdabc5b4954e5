/** Describes what the value of a setting must be: in English, and as a reason for the console's other languages. */
import type { SettingProblem } from "./settings/row.js";
import { SETTINGS, type SettingName } from "./settings.js";

/** The values to choose from; for a list, the values of an entry. Undefined if any value of the type is allowed. */
export function choicesOf(name: SettingName): readonly (string | number)[] | undefined {
  const { schema } = SETTINGS[name];
  if ("enum" in schema) return schema.enum;
  return schema.type === "array" && "enum" in schema.items ? schema.items.enum : undefined;
}

/** What the value must be; the text is such as `an integer from 0 to 65535`. */
export function expected(name: SettingName): SettingProblem {
  const { schema } = SETTINGS[name];
  const choices = choicesOf(name)?.join(", ");
  if ("enum" in schema) {
    return { text: schema.enum.join(" or "), reason: "refusedChoice", values: { choices: choices ?? "" } };
  }
  switch (schema.type) {
    case "integer": {
      const { minimum: from, maximum: to } = schema;
      return { text: `an integer from ${from} to ${to}`, reason: "refusedInteger", values: { from, to } };
    }
    case "boolean":
      return { text: "true or false", reason: "refusedBoolean", values: {} };
    case "array":
      return { text: `a list of ${choices ?? "texts"}`, reason: "refusedList", values: { choices: choices ?? "" } };
    case "string":
      if ("pattern" in schema) return { text: schema["x-expected"], reason: "refusedSegment", values: {} };
      return { text: "a text that is not empty", reason: "refusedText", values: {} };
  }
}
