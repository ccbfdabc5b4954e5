/** One form of an endpoint, for the router, the OpenAPI document and the documentation. */
import { compileSchema, type JsonSchema } from "../schema/validator.js";
import type { Limit } from "./limits.js";

export interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the interface's prefix; `:id` is a parameter. */
  readonly path: string;
  readonly purpose: string;
  /**
   * Who may call, of those whom the guard lets in: callers who may see receipts, and of these only those with the
   * permission for a change; `in a shop` asks for this permission only with a real card. Default: all.
   */
  readonly callers?: "trusted" | "permitted" | "permitted in a shop";
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  /** Schema of the answer, for the OpenAPI document. */
  readonly answer?: JsonSchema;
  /** HTTP status of a success. Default: 200 if there is an answer, otherwise 204. */
  readonly status?: 201 | 202;
  /** Maximum size of the file that is the body. The handler gets the file as a Buffer. */
  readonly upload?: Limit;
  /** Media type of the file that is the answer. */
  readonly file?: string;
}

/** Describes an endpoint, and lets the build prepare its schemas. @param call its method and path */
export function endpoint<const N extends string>(
  name: N,
  call: `${Endpoint["method"]} /${string}`,
  purpose: string,
  rest: Omit<Endpoint, "name" | "method" | "path" | "purpose"> = {},
): Endpoint & { readonly name: N } {
  const [method = "GET", path = ""] = call.split(" ") as [Endpoint["method"], string];
  for (const schema of [rest.params, rest.query, rest.body]) if (schema) compileSchema(schema);
  return { name, method, path, purpose, ...rest };
}

/** Returns the path of an endpoint as OpenAPI writes it, such as `/console/receipts/{number}`. */
export function describedPath(prefix: string, { path }: Pick<Endpoint, "path">): string {
  return prefix + path.replaceAll(/:(\w+)/g, "{$1}");
}

export function statusOf({ status, answer, file }: Endpoint): number {
  return status ?? (answer || file ? 200 : 204);
}
