/** The interface's description: valid, linted, served, and what the service really does. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { controlDocument } from "../../emulator/control/openapi.js";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { API_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";
import { openApiDocument } from "../../src/http/openapi.js";
import { openApiPage } from "../../src/http/openapi-page.js";
import { compileSchema, type JsonSchema } from "../../src/schema/validator.js";
import { openTill } from "../support/till.js";

const SETTINGS = { negativeItems: false, pinFailureStatus: 200, requestIdLength: 32 } as const;

const LINT = {
  extends: ["recommended-strict"],
  // `then` names properties of the schema around it, which this rule does not see.
  rules: { "no-required-schema-properties-undefined": "off" },
} as const;

async function complaints(document: JsonSchema): Promise<string[]> {
  const config = await createConfig(structuredClone(LINT) as object);
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location.map(({ pointer }) => pointer)}`,
  );
}

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly description: string }>> }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}
const described = (settings: Parameters<typeof openApiDocument>[0] = SETTINGS) =>
  openApiDocument(settings) as unknown as Described;

describe("the OpenAPI documents", () => {
  it.each([
    ["of the service", openApiDocument(SETTINGS)],
    ["of the control interface", controlDocument()],
  ])("%s has nothing to complain about for a linter", async (_, document) => {
    expect(await complaints(document)).toEqual([]);
  });

  it("that is broken is complained about", async () => {
    const [complaint] = await complaints({ ...openApiDocument(SETTINGS), paths: { "/x": { get: { responses: {} } } } });
    expect(complaint).toContain("/paths/~1x/get");
  });

  it("describes every endpoint, and every error code somewhere", () => {
    const { paths } = described();
    expect(Object.keys(paths)).toEqual(
      ENDPOINTS.map(({ path }) => API_PREFIX + path.replace(":requestId", "{requestId}")),
    );
    const text = JSON.stringify(paths);
    for (const code of FISCAL_CODES) {
      const isError = !["0000", "0100", "0210", "0220", "1100", "1400", "2100"].includes(code);
      if (isError) expect(text, code).toContain(code);
    }
  });

  it("follows the settings that change the interface", () => {
    const strict = described();
    const other = described({ negativeItems: true, pinFailureStatus: 423, requestIdLength: 36 });
    const pin = (document: Described) => Object.keys(document.paths["/api/v3/pin"]?.post?.responses ?? {});
    expect([pin(strict).includes("423"), pin(other).includes("423")]).toEqual([false, true]);
    const discount = { name: "Discount", quantity: 1, unitPrice: -1, labels: ["A"], totalAmount: -1 };
    const invoice = { invoiceType: "Normal", transactionType: "Sale", payment: [], items: [discount] };
    const takes = (document: Described) => compileSchema(document.components.schemas.Invoice ?? {})(invoice);
    expect([takes(strict), takes(other)]).toEqual([false, true]);
  });
});

describe("the service", () => {
  it("serves the document, and a page that loads nothing and says it all", async () => {
    const { call } = await openTill();
    const json = await call("GET", "/openapi.json");
    expect(json.json()).toEqual(openApiDocument(SETTINGS));
    const page = await call("GET", "/openapi");
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/<script|src=|@import|url\(/);
    for (const { method, path } of ENDPOINTS) {
      expect(page.text).toContain(`<code>${method} ${API_PREFIX}${path.replace(":requestId", "{requestId}")}</code>`);
    }
    expect((await call("POST", "/openapi")).status).toBe(405);
    expect((await call("DELETE", "/openapi.json")).status).toBe(405);
  });

  it("keeps what a caller says of itself out of the page's markup", () => {
    const page = openApiPage(openApiDocument(SETTINGS), 'http://<img src=x onerror="alert(1)">');
    expect(page).not.toContain("<img");
    expect(page).toContain("&lt;img");
  });
});
