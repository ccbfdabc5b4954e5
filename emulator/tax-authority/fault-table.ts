/** Faults that a person switches on at a server: each with its schema, its normal value and its meaning. */
import type { JsonSchema } from "../../src/schema/json-schema.js";

export interface FaultRow<T> {
  readonly schema: JsonSchema;
  /** The value without the fault. */
  readonly normal: T;
  readonly meaning: string;
}

type FaultTable = Readonly<Record<string, FaultRow<unknown>>>;

/** The value of each fault. */
export type FaultValues<T extends FaultTable> = { readonly [N in keyof T]: T[N]["normal"] };

export const fault = <T>(schema: JsonSchema, normal: T, meaning: string): FaultRow<T> => ({ schema, normal, meaning });
export const flag = (meaning: string) => fault<boolean>({ type: "boolean" }, false, meaning);

export function normalValues<T extends FaultTable>(table: T): FaultValues<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { normal }]) => [name, normal])) as FaultValues<T>;
}

/** JSON Schema of an object with any number of these faults. */
export function faultsSchema(table: FaultTable, description: string): JsonSchema {
  const properties = Object.entries(table).map(([name, row]) => [name, { ...row.schema, description: row.meaning }]);
  return { type: "object", additionalProperties: false, description, properties: Object.fromEntries(properties) };
}
