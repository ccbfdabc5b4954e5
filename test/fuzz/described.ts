/** Checks that an answer matches the service's own OpenAPI document. */
import { compileSchema, type JsonSchema } from "../../src/schema/validator.js";

interface Content {
  readonly schema: JsonSchema;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

type Check = (value: unknown) => string | undefined;

export class Described {
  readonly endpoints: readonly Endpoint[];
  private readonly checks = new Map<JsonSchema, Check>();

  constructor(readonly document: Document) {
    this.endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  /** What is wrong with an endpoint's answer; undefined when it matches. */
  problem({ operation }: Endpoint, answer: Answer): string | undefined {
    const response = operation.responses[String(answer.status)];
    if (!response) return `${operation.operationId} answers ${answer.status}, which is not described`;
    const { content } = response;
    if (!content) return answer.text === "" ? undefined : `${operation.operationId}: a body that is not described`;
    const described = content[answer.type];
    if (!described) return `${operation.operationId}: the content type ${answer.type} is not described`;
    return this.fits(described.schema, answer, operation.operationId);
  }

  /** The answer to a request outside all endpoints: a refusal in the error record. */
  refusalProblem(answer: Answer): string | undefined {
    if (answer.status < 400) return undefined;
    if (answer.status >= 500 && answer.status !== 503) return `status ${answer.status}`;
    return this.fits({ $ref: "#/components/schemas/Error" }, answer, "a refusal");
  }

  private fits(schema: JsonSchema, { type, text }: Answer, what: string): string | undefined {
    let value: unknown = text;
    if (type === "application/json") {
      try {
        value = JSON.parse(text);
      } catch {
        return `${what}: not JSON: ${text.slice(0, 200)}`;
      }
    }
    const wrong = this.check(schema)(value);
    return wrong === undefined ? undefined : `${what}: ${wrong}`;
  }

  private check(schema: JsonSchema): Check {
    const known = this.checks.get(schema);
    if (known) return known;
    const name =
      String(schema.$ref ?? "")
        .split("/")
        .at(-1) ?? "";
    const validate = compileSchema(this.document.components.schemas[name] ?? schema);
    const check: Check = (value) =>
      validate(value)
        ? undefined
        : JSON.stringify(validate.errors?.map(({ instancePath, message }) => [instancePath, message]));
    this.checks.set(schema, check);
    return check;
  }
}
