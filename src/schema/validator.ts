/** ajv, set up once: every wrong field at once, decimals exact, times as the till writes them. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isTimeZone, parseTime } from "../fiscal/time.js";
import { checkDecimal, type DecimalRule } from "./decimal.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  useDefaults: true,
  // Errors bring the schema that they are about, which says what would be right.
  verbose: true,
});
addFormats.default(ajv);
ajv.addFormat("till-time", (text: string) => parseTime(text) !== undefined);
ajv.addFormat("time-zone", isTimeZone);
ajv.addKeyword({
  keyword: "decimal",
  // Errors name the rule that was broken in `params.broken`.
  validate: Object.assign(
    function validate(rule: DecimalRule, data: unknown): boolean {
      const broken = checkDecimal(rule, data);
      (validate as { errors?: Partial<ErrorObject>[] }).errors = broken
        ? [{ keyword: "decimal", message: broken.message, params: { broken: broken.kind } }]
        : [];
      return broken === undefined;
    },
    { errors: [] as Partial<ErrorObject>[] },
  ),
  errors: true,
});

export function compileSchema<T>(schema: JsonSchema): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

/** `/items/0/labels/1` becomes `items[0].labels[1]`, the way tills read it. */
export function propertyPath(instancePath: string, missing?: string): string {
  const parts = instancePath.split("/").slice(1);
  if (missing !== undefined) parts.push(missing);
  return parts
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`), "");
}

/** `; expected one of port, host` for a name that is not known, else nothing. */
export function namesInstead({ keyword, parentSchema }: ErrorObject): string {
  const { properties } = (parentSchema ?? {}) as { properties?: object };
  return keyword === "additionalProperties" && properties
    ? `; expected one of ${Object.keys(properties).join(", ")}`
    : "";
}

/**
 * One line an error, for people who wrote a file: `device.serialNumber must be string`.
 * @param whole what the outermost value is called
 */
export function explainErrors(errors: readonly ErrorObject[] | null | undefined, whole = "the file"): string[] {
  // `if` only says that `then` or `else` failed, which have said so themselves.
  const telling = (errors ?? []).filter(({ keyword }) => keyword !== "if");
  const lines = telling.map((error) => {
    const { instancePath, keyword, message = "is wrong" } = error;
    const params = error.params as Record<string, unknown>;
    const where = propertyPath(instancePath) || whole;
    // Of itself a `not` cannot say what would be right; the schema that has it can.
    const { description } = (error.parentSchema ?? {}) as { description?: string };
    if (keyword === "not" && description !== undefined) return `${where}: ${description}`;
    if (keyword === "required") return `${propertyPath(instancePath, String(params.missingProperty))} is missing`;
    if (keyword === "additionalProperties") {
      return `${propertyPath(instancePath, String(params.additionalProperty))} is not known`;
    }
    if (keyword === "enum") return `${where} must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
    return `${where} ${message}`;
  });
  // Two rules may say the same of one value.
  return [...new Set(lines)];
}
