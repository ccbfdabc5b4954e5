/** The interface's description as a page for people: made from the same document, without scripts and without network. */
import type { JsonSchema } from "../schema/validator.js";
import { html, page } from "./html.js";

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Record<string, Media> }>
  >;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** @param base `http://localhost:8431`, for examples that work as pasted */
export function openApiPage(document: JsonSchema, base: string): string {
  const { info, paths, components } = document as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationPart(base, method.toUpperCase(), path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaPart(name, schema));
  const about = `<p>${html(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>.</p>`;
  const heading = `<h1>${html(info.title)} ${html(info.version)}</h1>`;
  return page(`${info.title}: the interface`, [heading, about, ...operations, ...schemas].join("\n"));
}

function operationPart(base: string, method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map(({ name, in: where, description: says }) => [
    `${code(name)} (${html(where)})`,
    words(says),
  ]);
  const answers = Object.entries(responses).map(([status, { description: says, content = {} }]) => {
    const kinds = Object.entries(content).map(([type, { schema }]) => `${code(type)}: ${typeOf(schema)}`);
    return [html(status), words(says), kinds.join("<br>")];
  });
  return `<section>
<h2>${code(`${method} ${path}`)}</h2>
<p>${words(summary)}. ${words(description)}</p>
${inputs.length > 0 ? table(["Parameter", "Meaning"], inputs) : ""}
${Object.entries(requestBody?.content ?? {})
  .map(([type, media]) => bodyPart(type, media))
  .join("\n")}
<pre>${html(curl(base, method, path, requestBody?.content))}</pre>
${table(["Status", "Meaning", "Body"], answers)}
</section>`;
}

function bodyPart(type: string, { schema }: Media): string {
  return `<p>Body ${code(type)}: ${typeOf(schema)}</p>`;
}

/** The first form of a body is sent. */
function curl(base: string, method: string, path: string, content: Readonly<Record<string, Media>> = {}): string {
  const [first] = Object.entries(content);
  const body = first ? ` \\\n  -H 'Content-Type: ${first[0]}' -d '${JSON.stringify(first[1].example ?? {})}'` : "";
  const post = method === "POST" && !first ? " -X POST" : "";
  return `curl${post} ${base}${path.replace("{requestId}", "order-1")}${body}`;
}

function schemaPart(name: string, schema: Schema): string {
  const rows = fieldRows(schema);
  return `<section id="${html(name)}">
<h2>${html(name)}</h2>
<p>${words(schema.description ?? "")}</p>
${rows.length > 0 ? table(["Field", "Type", "Meaning"], rows) : `<p>${typeOf(schema)}</p>`}
</section>`;
}

/** Fields of fields with dots between, entries of lists with brackets. */
function fieldRows(schema: Schema, prefix = ""): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const needed = schema.required?.includes(name) ? "" : ", optional";
    const inner = field.anyOf?.find(({ properties }) => properties) ?? field.items ?? field;
    const path = `${prefix}${name}${field.items ? "[]" : ""}`;
    return [[code(path), typeOf(field) + needed, words(field.description ?? "")], ...fieldRows(inner, `${path}.`)];
  });
}

function typeOf(schema: Schema): string {
  const { $ref, type, enum: values, anyOf, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `<a href="#${html(name)}">${html(name)}</a>`;
  }
  // That null and "" mean absent is said once, in words.
  if (anyOf)
    return anyOf
      .filter((form) => !form.enum?.includes(null))
      .map(typeOf)
      .join(" or ");
  if (values) return values.map((value) => code(JSON.stringify(value))).join(", ");
  if (items) return `list of ${typeOf(items)}`;
  return html([type ?? "anything"].flat().join(" or "));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: "th" | "td", row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${cells("th", head)}</thead><tbody>${rows.map((row) => cells("td", row)).join("\n")}</tbody></table>`;
}

/** Text with `code` in it. */
function words(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

const code = (text: string) => `<code>${html(text)}</code>`;
