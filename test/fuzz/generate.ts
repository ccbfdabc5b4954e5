/** Generates values that a JSON Schema of the OpenAPI document allows, for the keywords that this document uses. */
import type { JsonSchema } from "../../src/schema/validator.js";
import type { Chance } from "../faults/chance.js";

/** The schema says this only in words: the labels of the specification's environment. */
const LABELS = ["A", "B", "C", "D", "E", "N"];
const LETTERS = "abcXYZ 019 ĐđЖжš€😀\"\\/<&'";
/** The schema does not limit lists and texts, but generated values need a limit. */
const MOST_ITEMS = 4;
const MOST_LETTERS = 30;

interface Schema extends JsonSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMaximum?: number;
  readonly pattern?: string;
  readonly description?: string;
}

export class Generator {
  constructor(
    private readonly schemas: Readonly<Record<string, JsonSchema>>,
    private readonly chance: Chance,
  ) {}

  value(given: JsonSchema, name = ""): unknown {
    const schema = this.resolved(given);
    const { chance } = this;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return chance.pick(schema.enum);
    if (schema.anyOf) return this.value(chance.pick(schema.anyOf), name);
    switch (schema.type) {
      case "object":
        return this.object(schema);
      case "array":
        return this.array(schema, name);
      case "boolean":
        return chance.oneIn(2);
      case "integer":
        return chance.between(0, 9_999);
      case "number":
        return this.number(schema);
      default:
        return this.text(schema, name);
    }
  }

  private resolved(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (this.schemas[name] ?? {});
  }

  private object({ properties = {}, required = [] }: Schema): Record<string, unknown> {
    const names = Object.keys(properties).filter((name) => required.includes(name) || this.chance.oneIn(3));
    return Object.fromEntries(names.map((name) => [name, this.value(properties[name] ?? {}, name)]));
  }

  private array({ items = {}, minItems = 0 }: Schema, name: string): unknown[] {
    const length = this.chance.between(Math.max(1, minItems), MOST_ITEMS);
    return Array.from({ length }, () => (name === "labels" ? this.chance.pick(LABELS) : this.value(items, name)));
  }

  /** Small, to stay far from the card's limit, with as many decimals as amounts may have. */
  private number({ minimum = 0 }: Schema): number {
    return Math.max(minimum, this.chance.between(1, 2_000) / 100);
  }

  private text({ minLength = 0, maxLength = MOST_LETTERS, pattern, description = "" }: Schema, name: string): string {
    const { chance } = this;
    if (pattern === "^\\d{4}$" || name === "pin") return "1234";
    if (description.includes("ISO 8601")) return chance.pick(["2026-01-01T10:00:00Z", "2025-12-31 23:59:59"]);
    if (name === "referentDocumentNumber") return `TESTCARD-TESTCARD-${chance.between(1, 9)}`;
    if (pattern !== undefined) return `id-${chance.between(1, 99_999)}`;
    if (name === "gtin") return "12345678";
    const length = chance.between(minLength, Math.min(maxLength, Math.max(minLength, MOST_LETTERS)));
    return Array.from({ length }, () => chance.pick([...LETTERS])).join("");
  }
}
