/**
 * Schemas become functions: by ajv in this process, or by code that ajv wrote when the package was built. ajv itself is
 * loaded only where a schema was not prepared; to load it and to compile costs more than the rest of a start.
 */
import { createRequire } from "node:module";
import type { Ajv2020, KeywordCxt, ValidateFunction } from "ajv/dist/2020.js";
import equal from "ajv/dist/runtime/equal.js";
import ucs2length from "ajv/dist/runtime/ucs2length.js";
import formats from "ajv-formats/dist/formats.js";
import { isTimeZone, parseTime } from "../fiscal/time.js";
import { preparedFile } from "../prepared.js";
import { checkDecimal } from "./decimal.js";
import type { JsonSchema } from "./json-schema.js";

export type { JsonSchema };

const FORMATS = {
  ...formats.fullFormats,
  "point-in-time": (text: string) => parseTime(text) !== undefined,
  "time-zone": isTimeZone,
};

/** What prepared code asks for by `require`: ajv's own helpers under their names, and ours. */
const NEEDED: Readonly<Record<string, unknown>> = {
  "ajv/dist/runtime/equal": withDefault(equal),
  "ajv/dist/runtime/ucs2length": withDefault(ucs2length),
  formats: FORMATS,
  decimal: { checkDecimal },
};

/** Node and vite disagree on what `default` of such a CommonJS module is. */
function withDefault(module: object): object {
  return "default" in module ? module : { default: module };
}

const need = (name: string): unknown => NEEDED[name];
const load = createRequire(import.meta.url);

/** Ending of the files with prepared code. */
export const VALIDATOR = ".cjs";

/** The same schema in another text is another schema. */
export function sourceOf(schema: JsonSchema): string {
  return JSON.stringify(schema);
}

/** What the build has made of a schema; undefined where it was not prepared. */
export function loadPrepared<T>(schema: JsonSchema): ValidateFunction<T> | undefined {
  const file = preparedFile(sourceOf(schema), VALIDATOR);
  return file === undefined ? undefined : (load(file) as (required: typeof need) => ValidateFunction<T>)(need);
}

export function compileNow<T>(schema: JsonSchema): ValidateFunction<T> {
  return compiler().compile<T>(schema);
}

/** The code that {@link loadPrepared} loads. */
export function prepareValidator(schema: JsonSchema): string {
  const { default: standalone } = load("ajv/dist/standalone/index.js") as typeof import("ajv/dist/standalone/index.js");
  const code = standalone(compiler(), compiler().compile(schema));
  return `module.exports = (require) => { const module = {};\n${code}\nreturn module.exports; };\n`;
}

let made: Ajv2020 | undefined;

/** ajv, set up once: every wrong field at once, decimals exact, times as the POS writes them. */
function compiler(): Ajv2020 {
  made ??= newCompiler();
  return made;
}

function newCompiler(): Ajv2020 {
  const { Ajv2020, _ } = load("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    // Errors bring the schema that they are about, which says what would be right.
    verbose: true,
    code: { source: true, formats: _`require("formats")` },
    formats: FORMATS,
  });
  // Said in errors only, by `explainErrors`.
  ajv.addVocabulary(["x-expected", "x-renamed"]);
  ajv.addKeyword({
    keyword: "decimal",
    code: (context: KeywordCxt) => {
      const { gen, data, schemaCode } = context;
      const check = gen.scopeValue("func", { ref: checkDecimal, code: _`require("decimal").checkDecimal` });
      const broken = gen.const("broken", _`${check}(${schemaCode}, ${data})`);
      context.setParams({ broken });
      context.fail(broken);
    },
    // Errors name the rule that was broken in `params.broken`.
    error: {
      message: ({ params }) => _`${params.broken}.message`,
      params: ({ params }) => _`{broken: ${params.broken}.kind}`,
    },
  });
  return ajv;
}
