/** Types and operations of clients/typescript, from the OpenAPI document. */
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { openApiDocument } from "../../src/http/openapi.js";
import type { JsonSchema } from "../../src/schema/validator.js";

/** The widest interface that settings can choose, so that the types hold for every service. */
const WIDEST = { answerForm: "specification", negativeItems: true, requestIdLength: 36 } as const;

/** Renamed types: `Error` would hide JavaScript's class. */
const TYPE_NAMES: Readonly<Record<string, string>> = { Error: "ErrorRecord" };

interface Media {
  readonly schema: JsonSchema;
}

interface Parameter {
  readonly name: string;
  readonly in: "header" | "path" | "query";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, Media>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const JSON_TYPE = "application/json";
const PARTS = { header: "headers", path: "path", query: "query" } as const;

const record = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

/** The schema of an operation: its input, and its answer for each status. */
function operationSchema(operation: Operation) {
  const { parameters = [], requestBody, responses, summary, description } = operation;
  const parts: Record<string, object> = {};
  const required = ["answers"];
  if (requestBody) {
    parts.body = { ...requestBody.content[JSON_TYPE]?.schema };
    if (requestBody.required) required.push("body");
  }
  for (const [place, name] of Object.entries(PARTS)) {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) continue;
    const needed = here.filter((parameter) => parameter.required).map((parameter) => parameter.name);
    const properties = here.map(({ name, schema, description }) => [name, { ...schema, description }] as const);
    parts[name] = record(Object.fromEntries(properties), needed);
    if (needed.length > 0) required.push(name);
  }
  // A description beside a reference would make a second type.
  const answers = Object.entries(responses).map(([status, { content }]) => [status, answerSchema(content)] as const);
  const meanings = Object.entries(responses).map(([status, answer]) => `${status}: ${answer.description}`);
  const schema = record({ ...parts, answers: record(Object.fromEntries(answers)) }, required);
  return { ...schema, description: [`${summary}. ${description}`, ...meanings].join("\n\n") };
}

function answerSchema(content: Content | undefined): object {
  if (!content) return { type: "null" };
  const [media] = Object.values(content);
  return content[JSON_TYPE]?.schema ?? { ...media?.schema, tsType: "Uint8Array" };
}

function answerForm({ responses }: Operation): "bytes" | "json" | "nothing" {
  const content = responses[200]?.content;
  if (!content) return "nothing";
  return JSON_TYPE in content ? "json" : "bytes";
}

/** @returns the content of clients/typescript/openapi.ts */
export async function clientTypes(): Promise<string> {
  const { paths, components } = openApiDocument(WIDEST) as unknown as Document;
  const { paths: ofDevices } = openApiDocument({ ...WIDEST, answerForm: "device" }) as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      // The client makes error records of a device's bare codes, so a device adds only other statuses.
      const responses = { ...ofDevices[path]?.[method]?.responses, ...operation.responses };
      return { method: method.toUpperCase(), path, operation: { ...operation, responses } };
    }),
  );
  const named = (name: string) => TYPE_NAMES[name] ?? name;
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [named(name), schema] as const);
  const whole = {
    ...record(
      Object.fromEntries(operations.map(({ operation }) => [operation.operationId, operationSchema(operation)])),
    ),
    definitions: Object.fromEntries(schemas),
  };
  const text = JSON.stringify(whole)
    .replace(/"#\/components\/schemas\/(\w+)"/g, (_, name: string) => `"#/definitions/${named(name)}"`)
    .replaceAll(JSON.stringify(FISCAL_CODES), '["0000"],"tsType":"FiscalCode"');
  const types = await compile(JSON.parse(text) as JSONSchema, "Operations", {
    additionalProperties: false,
    bannerComment: "/** Written by `npm run docs` from the OpenAPI document. Do not edit. */",
    ignoreMinAndMaxItems: true,
    style: { printWidth: 120 },
    unreachableDefinitions: true,
  });
  const codes = FISCAL_CODES.toSorted().map((code) => JSON.stringify(code));
  const rows = operations.map(({ method, path, operation }) => {
    const row = { method, path, answer: answerForm(operation) };
    return `  ${operation.operationId}: ${JSON.stringify(row)},\n`;
  });
  const noted = types.replace(/\n \* This interface was referenced by .*\n \* via the `definition` .*(?=\n)/g, "");
  return `${noted.replace(/\/\*\*\n \*\/\n/g, "").replace(/\n \*\n \*\//g, "\n */")}
/** Every code of the catalogue; CODES of codes.ts says what each means. */
export type FiscalCode = ${codes.join(" | ")};

export const OPERATIONS = {\n${rows.join("")}} as const;\n`;
}
