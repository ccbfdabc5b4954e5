/** Compares exchanges with the interface's OpenAPI document. A difference is a mistake in one of the two. */
import type { ErrorObject } from "ajv";
import { own } from "../../src/base/own.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { type DescribedSettings, openApiDocument } from "../../src/http/openapi.js";
import { sourceOf } from "../../src/schema/compiler.js";
import { compileSchema, explainErrors, type JsonSchema, type Validator } from "../../src/schema/validator.js";
import type { HttpAnswer, HttpRequest } from "./http-call.js";
import { jsonIn } from "./json.js";
import { sentInvoice } from "./sent-invoice.js";

export interface ConformanceOptions extends DescribedSettings {
  readonly pathSegment?: string;
  /** Whether answers may have fields that the document does not name. Answers of other services have such fields. */
  readonly moreFields: boolean;
}

/** Compares an exchange with the document. Returns one line for each difference. */
export type Conformance = (request: HttpRequest, answer: HttpAnswer) => string[];

interface Media {
  readonly schema: JsonSchema;
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

const known = new Map<string, Conformance>();

export function conformanceTo(options: ConformanceOptions): Conformance {
  const { answerForm, negativeItems, requestIdLength, pathSegment, moreFields } = options;
  const key = JSON.stringify([answerForm, negativeItems, requestIdLength, pathSegment, moreFields]);
  const conformance = known.get(key) ?? newConformance(options);
  known.set(key, conformance);
  return conformance;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

function newConformance(options: ConformanceOptions): Conformance {
  const document = openApiDocument(options) as unknown as Description;
  const validators = validatorsOf(document, options);
  const errorsOf = (schema: JsonSchema, value: unknown): ErrorObject[] => {
    const validate = validators.get(sourceOf(schema));
    if (!validate) throw new Error("a schema of the document was not compiled");
    return validate(value) ? [] : [...(validate.errors ?? [])];
  };
  const bodyFaults = (subject: string, content: Readonly<Record<string, Media>> = {}, answer: HttpAnswer) => {
    if (Object.keys(content).length === 0)
      return answer.text === "" ? [] : [`${subject} has a body; none is described`];
    const type = mediaType(answer.headers);
    const media = own(content, type);
    if (!media) return [`${subject} is ${type || "of no type"}; described is ${Object.keys(content).join(" or ")}`];
    const value = type === "application/json" ? jsonIn(answer.text) : answer.text;
    if (value === undefined) return [`${subject} is not JSON`];
    return explainErrors(errorsOf(media.schema, value), subject);
  };
  const errorRecord = { "application/json": { schema: ERROR_RECORD } };

  return (request, answer) => {
    if (request.method === "HEAD" || answer.status === 204) return [];
    const operation = operationOf(document.paths, request, options.pathSegment);
    const subject = `the answer ${answer.status}`;
    if (!operation) return answer.status < 400 ? [] : bodyFaults(subject, errorRecord, answer);
    const response = operation.responses[answer.status];
    if (!response) return [`${subject} is not described for ${operation.operationId}`];
    const faults = bodyFaults(subject, response.content, answer);
    const sent = answer.status < 300 ? invoiceOf(operation, request) : undefined;
    const schema = operation.requestBody?.content["application/json"]?.schema;
    return sent === undefined || !schema
      ? faults
      : [...faults, ...explainErrors(errorsOf(schema, sent), "the request")];
  };
}

const ERROR_RECORD: JsonSchema = { $ref: "#/components/schemas/Error" };

/** Compiles one validator for each schema, because requests and answers share most schemas. */
function validatorsOf({ paths, components }: Description, options: ConformanceOptions) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const contents = operations.flatMap(({ requestBody, responses }) => [
    requestBody?.content,
    ...Object.values(responses).map(({ content }) => content),
  ]);
  const schemas = contents.flatMap((content = {}) => Object.values(content).map(({ schema }) => schema));
  const entries = [ERROR_RECORD, ...schemas].map((schema) => [sourceOf(schema), schema] as const);
  return new Map<string, Validator<unknown>>(
    [...new Map(entries)].map(([source, schema]) => [
      source,
      compileSchema(whole(schema, components.schemas, options)),
    ]),
  );
}

/** Returns the invoice of a request in the spelling that the document describes, or undefined for other requests. */
function invoiceOf({ operationId }: Operation, { body }: HttpRequest): unknown {
  if (operationId !== "invoices" || !body) return undefined;
  return sentInvoice(Buffer.from(body).toString("utf8"));
}

function operationOf(
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
  { method, path }: HttpRequest,
  pathSegment: string | undefined,
): Operation | undefined {
  const [asked = ""] = path.split("?");
  const prefix = pathSegment === undefined ? "" : `(/${pathSegment.replaceAll(".", "\\.")})?(?=${API_PREFIX})`;
  const match = Object.entries(paths).find(([described]) =>
    new RegExp(`^${prefix}${described.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`, "i").test(asked),
  );
  return match && own(match[1], method.toLowerCase());
}

function mediaType(headers: Readonly<Record<string, string>>): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Resolves the references in a schema. If more fields are allowed, the result also allows them in every object. */
function whole(
  schema: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
  options: { moreFields: boolean },
): JsonSchema {
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: string };
    if ($ref !== undefined) return resolved(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]);
    const entries = Object.entries(rest).filter(([name]) => !(options.moreFields && name === "additionalProperties"));
    return Object.fromEntries(
      entries.map(([name, entry]) => [
        name,
        name === "required" && options.moreFields ? demanded(entry) : resolved(entry),
      ]),
    );
  };
  return resolved(schema) as JsonSchema;
}

/** Fields that tillseal adds to the specification. The answers of other services need not have these fields. */
const OWN_FIELDS = new Set<unknown>(["environmentSource", "taxAuthoritySince", "clockDrift"]);

/**
 * Leaves out the fields that only tillseal has.
 * @param required the required names of a schema, or the schema of a property that is called `required`
 */
function demanded(required: unknown): unknown {
  return Array.isArray(required) ? required.filter((name) => !OWN_FIELDS.has(name)) : required;
}
