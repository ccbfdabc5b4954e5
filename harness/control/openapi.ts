/** Writes the OpenAPI 3.1 document of the control interface from the schemas that validate its calls. */

import { ERROR } from "../../emulator/world/schemas.js";
import { PACKAGE_VERSION } from "../../src/base/package-root.js";
import { describedPath, type Endpoint, statusOf } from "../../src/http/endpoint.js";
import { limitsInWords } from "../../src/http/limits.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { CONTROL_PREFIX } from "../scenario/remote.js";
import { CONTROL_LIMITS } from "./limits.js";

/** Returns the document. @param endpoints that this control interface has */
export function controlDocument(endpoints: readonly Endpoint[]): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = describedPath(CONTROL_PREFIX, endpoint);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "tillseal control interface",
      version: PACKAGE_VERSION,
      description: `Puts the emulated card, its reader and the clock of tillseal into any state. ${limitsInWords(CONTROL_LIMITS)}`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [],
    paths,
    components: { schemas: { Error: ERROR } },
  };
}

function operation(endpoint: Endpoint): object {
  const { name, purpose, params, query, body, bodyOptional = false, answer, upload, file } = endpoint;
  const parameters = [...parametersOf("path", params), ...parametersOf("query", query)];
  return {
    operationId: name,
    summary: purpose,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !bodyOptional, ...json(body) } } : {}),
    ...(upload ? { requestBody: { required: true, ...bytes("application/octet-stream") } } : {}),
    responses: {
      [statusOf(endpoint)]: {
        description: "done",
        ...(answer ? json(answer) : {}),
        ...(file === undefined ? {} : bytes(file)),
      },
      "4XX": { description: "refused", ...json({ $ref: "#/components/schemas/Error" }) },
      "5XX": { description: "failed", ...json({ $ref: "#/components/schemas/Error" }) },
    },
  };
}

function parametersOf(where: "path" | "query", schema: JsonSchema | undefined): object[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path",
    schema: property,
  }));
}

function json(schema: JsonSchema): object {
  return { content: { "application/json": { schema } } };
}

function bytes(type: string): object {
  return { content: { [type]: { schema: { type: "string", format: "binary" } } } };
}
