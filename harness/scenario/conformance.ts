/** Compares exchanges with the interface's OpenAPI document. A difference is a mistake in one of the two. */
import type { ErrorObject } from "ajv";
import { sentInvoice } from "../../emulator/faults/sent-request.js";
import { own } from "../../src/base/own.js";
import { UID } from "../../src/http/answer-schemas.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { type DescribedSettings, openApiDocument } from "../../src/http/openapi.js";
import { sourceOf } from "../../src/schema/compiler.js";
import { compileSchema, explainErrors, type JsonSchema, type Validator } from "../../src/schema/validator.js";
import type { HttpAnswer, HttpRequest } from "./http-call.js";
import { jsonIn } from "./json.js";

export interface ConformanceOptions extends DescribedSettings {
  readonly pathSegment?: string;
  /**
   * Whose answers these are. `ours` must match the document. Those of other services may have more fields and need not
   * have the fields of tillseal; `specified` answers need only what the specification names.
   */
  readonly maker: "ours" | "deployed" | "specified";
}

/** Compares an exchange with the document. Returns one line for each difference. */
export type Conformance = (request: HttpRequest, answer: HttpAnswer) => string[];

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

const known = new Map<string, Conformance>();

export function conformanceTo(options: ConformanceOptions): Conformance {
  const { answerForm, negativeItems, requestIdLength, pathSegment, maker } = options;
  const key = JSON.stringify([answerForm, negativeItems, requestIdLength, pathSegment, maker]);
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
  const bodyFaults = (subject: string, content: Content = {}, answer: HttpAnswer) => {
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
    const operation = operationOf(document, request, options.pathSegment);
    const subject = `the answer ${answer.status}`;
    if (!operation) return answer.status < 400 ? [] : bodyFaults(subject, errorRecord, answer);
    // The specification names 200 and 201 for a signed invoice, and does not say which applies when.
    const status = options.maker !== "ours" && answer.status === 201 ? 200 : answer.status;
    const response = operation.responses[status];
    if (!response) return [`${subject} is not described for ${operation.operationId}`];
    const faults = bodyFaults(subject, response.content, answer);
    // What another maker's service accepts is its own affair.
    const sent = options.maker === "ours" && answer.status < 300 ? invoiceOf(operation, request) : undefined;
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
    [...new Map(entries)].map(([source, schema]) => [source, compileSchema(whole(schema, components, options))]),
  );
}

/** Returns the invoice of a request in the spelling that the document describes, or undefined for other requests. */
function invoiceOf({ operationId }: Operation, { body }: HttpRequest): unknown {
  if (operationId !== "invoices" || !body) return undefined;
  return sentInvoice(Buffer.from(body).toString("utf8"));
}

function operationOf({ paths }: Description, { method, path }: HttpRequest, pathSegment?: string) {
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

/** Resolves the references in a schema, and leaves out what a service of this maker need not have. */
function whole(schema: JsonSchema, { schemas }: Description["components"], { maker }: ConformanceOptions) {
  const unneeded = maker === "ours" ? [] : maker === "deployed" ? OWN_FIELDS : [...OWN_FIELDS, ...DEPLOYED_FIELDS];
  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: string };
    if ($ref !== undefined) return resolved(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]);
    const entries = Object.entries(rest).filter(([name]) => maker === "ours" || name !== "additionalProperties");
    return Object.fromEntries(entries.map(([name, entry]) => loosened(name, entry) ?? [name, resolved(entry)]));
  };
  const loosened = (name: string, entry: unknown): [string, unknown] | undefined => {
    // `required` may also be the name of a property.
    if (name === "required" && Array.isArray(entry)) return [name, entry.filter((field) => !unneeded.includes(field))];
    if (maker !== "specified") return undefined;
    if (name === "enum" && Array.isArray(entry) && entry.includes("1300")) return ["pattern", "^\\d{4}$"];
    return entry === UID.pattern ? [name, ""] : undefined;
  };
  return resolved(schema) as JsonSchema;
}

/** Fields that tillseal adds to the specification. */
const OWN_FIELDS: readonly unknown[] = ["environmentSource", "taxAuthoritySince", "clockDrift"];

/**
 * Fields that the specification does not name, or does not require, and that deployed services have. The suite itself
 * looks for `sdcDateTime` in status, and for journal and QR code where they were not omitted.
 */
const DEPLOYED_FIELDS: readonly unknown[] = [
  ...["requestedBy", "sdcDateTime", "invoiceNumber", "invoiceCounter", "invoiceCounterExtension", "taxItems"],
  ...["journal", "verificationQRCode", "secureElementVersion", "taxCoreApi", "allTaxRates", "logo"],
  ...["details", "modelState"],
];
