/** Makes a page of the OpenAPI document, without scripts and external resources. */
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

/** A section of the page: it describes an operation or a schema. */
interface Part {
  readonly id: string;
  readonly title: string;
  readonly content: string;
}

/** @param base address in the examples, so that people can paste and run them @param platform of their shell */
export function openApiPage(document: JsonSchema, base: string, platform = process.platform): string {
  const { info, paths, components } = document as unknown as Document;
  const example: Example = (...call) => (platform === "win32" ? powerShell(base, ...call) : curl(base, ...call));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationPart(example, method.toUpperCase(), path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaPart(name, schema));
  const about = `<p>${html(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>.</p>`;
  const heading = `<h1>${html(info.title)} ${html(info.version)}</h1>`;
  const aside = `<nav aria-label="Contents">${contents("Operations", operations)}\n${contents("Schemas", schemas)}</nav>`;
  const parts = [...operations, ...schemas].map(({ content }) => content);
  return page(`${info.title}: the interface`, [heading, about, aside, ...parts].join("\n"), STYLE);
}

/** The style of the page. The table of contents stays visible on wide screens. */
const STYLE = `
  a { color: var(--good); }
  section { scroll-margin-top: 1rem; overflow-x: auto; }
  nav h2 { font-size: 1rem; margin: 1rem 0 0; border: 0; padding: 0; }
  nav ul { list-style: none; margin: 0; padding: 0; }
  nav li { overflow-wrap: anywhere; padding: 0.15rem 0; }
  @media (min-width: 64rem) {
    body { max-width: 60rem; padding-left: 22rem; }
    nav { position: fixed; inset: 0 auto 0 0; width: 19rem; box-sizing: border-box; padding: 1rem; overflow-y: auto;
      border-right: 1px solid var(--line); } }`;

function contents(title: string, parts: readonly Part[]): string {
  const links = parts.map(({ id, title: name }) => `<li><a href="#${html(id)}">${html(name)}</a></li>`);
  return `<h2>${title}</h2><ul>${links.join("\n")}</ul>`;
}

function operationPart(example: Example, method: string, path: string, operation: Operation): Part {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map(({ name, in: where, description: says }) => [
    `${code(name)} (${html(where)})`,
    words(says),
  ]);
  const answers = Object.entries(responses).map(([status, { description: says, content = {} }]) => {
    const kinds = Object.entries(content).map(([type, { schema }]) => `${code(type)}: ${typeOf(schema)}`);
    return [html(status), words(says), kinds.join("<br>")];
  });
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<p>Body ${code(type)}: ${typeOf(schema)}</p>`,
  );
  const title = `${method} ${path}`;
  const id = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
  const content = `<section id="${id}">
<h2>${code(title)}</h2>
<p>${words(summary)}. ${words(description)}</p>
${inputs.length > 0 ? table(["Parameter", "Meaning"], inputs) : ""}
${bodies.join("\n")}
<pre>${html(example(method, path, requestBody?.content))}</pre>
${table(["Status", "Meaning", "Body"], answers)}
</section>`;
  return { id, title, content };
}

/** Makes a command that calls an operation with the first example of its body. */
type Example = (method: string, path: string, content?: Readonly<Record<string, Media>>) => string;

/** Makes a command that starts no program: cmd and versions of PowerShell pass quotes in arguments differently. */
function powerShell(base: string, ...[method, path, content = {}]: Parameters<Example>): string {
  const [first] = Object.entries(content);
  const json = JSON.stringify(first?.[1].example ?? {}).replaceAll("'", "''");
  const body = first ? ` -ContentType '${first[0]}; charset=utf-8' -Body '${json}'` : "";
  const by = method === "GET" ? "" : ` -Method ${method}`;
  return `Invoke-RestMethod ${base}${path.replace("{requestId}", "order-1")}${by}${body}`;
}

function curl(base: string, ...[method, path, content = {}]: Parameters<Example>): string {
  const [first] = Object.entries(content);
  const body = first ? ` \\\n  -H 'Content-Type: ${first[0]}' -d '${JSON.stringify(first[1].example ?? {})}'` : "";
  const post = method === "POST" && !first ? " -X POST" : "";
  return `curl${post} ${base}${path.replace("{requestId}", "order-1")}${body}`;
}

function schemaPart(name: string, schema: Schema): Part {
  const rows = fieldRows(schema);
  const content = `<section id="${html(name)}">
<h2>${html(name)}</h2>
<p>${words(schema.description ?? "")}</p>
${rows.length > 0 ? table(["Field", "Type", "Meaning"], rows) : `<p>${typeOf(schema)}</p>`}
</section>`;
  return { id: name, title: name, content };
}

/** The rows of a table of fields. The name of a nested field is joined with dots; the name of a list has brackets. */
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
  // Leave out null and "", because the description says once that they mean absent.
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

/** Escapes a text as HTML; parts between backquotes become code. */
function words(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

const code = (text: string) => `<code>${html(text)}</code>`;
