/**
 * Turns schemas into functions: with ajv at run time, or with code that ajv generated when the package was built. ajv
 * is loaded only for schemas that were not prepared, because loading and compiling takes longer than the rest of a
 * start.
 */
import { createRequire } from "node:module";
import type { Ajv2020, KeywordCxt, ValidateFunction } from "ajv/dist/2020.js";
import equal from "ajv/dist/runtime/equal.js";
import ucs2length from "ajv/dist/runtime/ucs2length.js";
import formats from "ajv-formats/dist/formats.js";
import { preparedFile } from "../base/prepared.js";
import { nearestLanguage } from "../fiscal/language.js";
import { isInRange } from "../fiscal/pos-time.js";
import { parseTime, readPosTime } from "../fiscal/time.js";
import { timeServerOf } from "../fiscal/time-server.js";
import { ianaZone } from "../fiscal/time-zone.js";
import { checkDecimal } from "./decimal.js";
import type { JsonSchema } from "./json-schema.js";

export type { JsonSchema };

const FORMATS = {
  ...formats.fullFormats,
  "point-in-time": (text: string) => parseTime(text) !== undefined,
  "pos-time": (text: string) => isInRange(readPosTime(text) ?? ""),
  "printable-language": (text: string) => nearestLanguage(text) !== undefined,
  "time-server": (text: string) => timeServerOf(text) !== undefined,
  "time-zone": (text: string) => ianaZone(text, "") !== undefined,
};

/** Modules that prepared code requires: ajv's helpers under their names, and this project's modules. */
const NEEDED: Readonly<Record<string, unknown>> = {
  "ajv/dist/runtime/equal": withDefault(equal),
  "ajv/dist/runtime/ucs2length": withDefault(ucs2length),
  formats: FORMATS,
  decimal: { checkDecimal },
};

/** Returns a module that has a `default`, because Node and vite differ on the `default` of a CommonJS module. */
function withDefault(module: object): object {
  return "default" in module ? module : { default: module };
}

const need = (name: string): unknown => NEEDED[name];
const load = createRequire(import.meta.url);

/** Ending of the files with prepared code. */
export const VALIDATOR = ".cjs";

export function sourceOf(schema: JsonSchema): string {
  return JSON.stringify(schema);
}

/** Loads the code that the build prepared for a schema; undefined if the build did not prepare this schema. */
export function loadPrepared<T>(schema: JsonSchema): ValidateFunction<T> | undefined {
  const file = preparedFile(sourceOf(schema), VALIDATOR);
  return file === undefined ? undefined : (load(file) as (required: typeof need) => ValidateFunction<T>)(need);
}

export function compileNow<T>(schema: JsonSchema): ValidateFunction<T> {
  return compiler().compile<T>(schema);
}

/** Generates the code that {@link loadPrepared} loads. */
export function prepareValidator(schema: JsonSchema): string {
  const { default: standalone } = load("ajv/dist/standalone/index.js") as typeof import("ajv/dist/standalone/index.js");
  const code = linear(standalone(compiler(), compiler().compile(schema)));
  return `module.exports = (require) => { const module = {};\n${code}\nreturn module.exports; };\n`;
}

/**
 * Lets code of ajv add the errors of an inner schema to the list, and leave a loop after 100 errors in it. ajv makes a
 * new list each time, and thousands of errors: of a list with thousands of wrong steps, that takes a minute.
 */
function linear(code: string): string {
  return code
    .replace(/vErrors\.concat\(([\w.]+)\)/g, "$1.reduce((all, one) => (all.push(one), all), vErrors)")
    .replace(
      /for\((?:let|const) (\w+)(=0; \1<\w+; \1\+\+| in \w+)\)\{/g,
      "const $1Most = errors + 100;$&if(errors > $1Most) break;",
    );
}

let made: Ajv2020 | undefined;

/**
 * Returns ajv, which is set up once. It reports all errors, checks decimals exactly, and accepts times as POS write
 * them.
 */
function compiler(): Ajv2020 {
  if (made) return made;
  const { Ajv2020, _ } = load("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  made = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    useDefaults: true,
    // Errors include their schema, which says what is expected.
    verbose: true,
    code: { source: true, formats: _`require("formats")`, process: linear },
    formats: FORMATS,
  });
  // ajv does not check `x-expected`: `explainErrors` uses it in errors.
  made.addVocabulary(["x-expected"]);
  made.addKeyword({
    keyword: "decimal",
    code: (context: KeywordCxt) => {
      const { gen, data, schemaCode } = context;
      const check = gen.scopeValue("func", { ref: checkDecimal, code: _`require("decimal").checkDecimal` });
      const broken = gen.const("broken", _`${check}(${schemaCode}, ${data})`);
      context.setParams({ broken });
      context.fail(broken);
    },
    // Errors name the rule that was broken in `params.broken`, and have the values of their message.
    error: {
      message: ({ params }) => _`${params.broken}.message`,
      params: ({ params }) => _`{broken: ${params.broken}.kind, values: ${params.broken}.values}`,
    },
  });
  return made;
}
