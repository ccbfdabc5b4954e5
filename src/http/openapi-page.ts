/**
 * Makes a page of the OpenAPI document that describes the interface. The page has no scripts and no external
 * resources.
 */
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
  /** Text for the search, in lower case. */
  readonly text: string;
}

/** Maximum length of a search. */
const LONGEST_SEARCH = 200;

/**
 * @param base address in the examples, such as `http://localhost:8431`, so that people can paste and run them
 * @param platform of the machine whose shell gets the examples
 * @param search words; a part is shown if it contains all of them; case does not matter
 */
export function openApiPage(
  document: JsonSchema,
  base: string,
  search = "",
  platform: NodeJS.Platform = process.platform,
): string {
  const { info, paths, components } = document as unknown as Document;
  const words = search.slice(0, LONGEST_SEARCH).toLowerCase().split(/\s+/).filter(Boolean);
  const example: Example = (...call) => (platform === "win32" ? powerShell(base, ...call) : curl(base, ...call));
  const isFound = ({ text }: Part) => words.every((word) => text.includes(word));
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) =>
        operationPart(example, method.toUpperCase(), path, operation),
      ),
    )
    .filter(isFound);
  const schemas = Object.entries(components.schemas)
    .map(([name, schema]) => schemaPart(name, schema))
    .filter(isFound);
  const about = `<p>${html(info.description)} The same for programs: <a href="openapi.json">openapi.json</a>.</p>`;
  const heading = `<h1>${html(info.title)} ${html(info.version)}</h1>`;
  const parts = [...operations, ...schemas].map(({ content }) => content);
  const none = parts.length === 0 ? ["<p>Nothing found.</p>"] : [];
  const lists = [contents("Operations", operations), contents("Schemas", schemas)].join("\n");
  const aside = `<nav aria-label="Contents">${searchField(search)}${lists}</nav>`;
  return page(`${info.title}: the interface`, [heading, about, aside, ...none, ...parts].join("\n"), STYLE);
}

/** The style of the page. The table of contents stays visible on wide screens. */
const STYLE = `
  a { color: var(--good); }
  section { scroll-margin-top: 1rem; overflow-x: auto; }
  nav form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
  nav label { display: grid; flex: 1 1 8rem; min-width: 0; }
  nav input, nav button { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--muted);
    border-radius: 0.6rem; padding: 0.35rem 0.7rem; min-width: 0; }
  nav h2 { font-size: 1rem; margin: 1rem 0 0; border: 0; padding: 0; }
  nav ul { list-style: none; margin: 0; padding: 0; }
  nav li { overflow-wrap: anywhere; padding: 0.15rem 0; }
  @media (min-width: 64rem) {
    body { max-width: 60rem; padding-left: 22rem; }
    nav { position: fixed; inset: 0 auto 0 0; width: 19rem; box-sizing: border-box; padding: 1rem; overflow-y: auto;
      border-right: 1px solid var(--line); } }`;

/** A search form that needs no script, because the service filters the page. */
function searchField(search: string): string {
  const all = search === "" ? "" : ` <a href="openapi">Show all</a>`;
  const input = `<input type="search" name="search" maxlength="${LONGEST_SEARCH}" value="${html(search)}">`;
  return `<form method="get" action="openapi" role="search"><label>Search ${input}</label><button>Find</button>${all}</form>`;
}

function contents(title: string, parts: readonly Part[]): string {
  if (parts.length === 0) return "";
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
  const title = `${method} ${path}`;
  const id = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
  const text = `${title} ${JSON.stringify({ summary, description, parameters, responses })}`.toLowerCase();
  const content = `<section id="${id}">
<h2>${code(title)}</h2>
<p>${words(summary)}. ${words(description)}</p>
${inputs.length > 0 ? table(["Parameter", "Meaning"], inputs) : ""}
${Object.entries(requestBody?.content ?? {})
  .map(([type, media]) => bodyPart(type, media))
  .join("\n")}
<pre>${html(example(method, path, requestBody?.content))}</pre>
${table(["Status", "Meaning", "Body"], answers)}
</section>`;
  return { id, title, content, text };
}

function bodyPart(type: string, { schema }: Media): string {
  return `<p>Body ${code(type)}: ${typeOf(schema)}</p>`;
}

/** Makes a command that calls an operation. */
type Example = (method: string, path: string, content?: Readonly<Record<string, Media>>) => string;

/**
 * Makes a PowerShell command that starts no program, because cmd and PowerShell versions pass quotes inside arguments
 * differently.
 */
function powerShell(base: string, ...[method, path, content = {}]: Parameters<Example>): string {
  const [first] = Object.entries(content);
  const json = JSON.stringify(first?.[1].example ?? {}).replaceAll("'", "''");
  const body = first ? ` -ContentType '${first[0]}; charset=utf-8' -Body '${json}'` : "";
  const by = method === "GET" ? "" : ` -Method ${method}`;
  return `Invoke-RestMethod ${base}${path.replace("{requestId}", "order-1")}${by}${body}`;
}

/** Makes a curl command that sends the first example of the body. */
function curl(base: string, method: string, path: string, content: Readonly<Record<string, Media>> = {}): string {
  const [first] = Object.entries(content);
  const body = first ? ` \\\n  -H 'Content-Type: ${first[0]}' -d '${JSON.stringify(first[1].example ?? {})}'` : "";
  const post = method === "POST" && !first ? " -X POST" : "";
  return `curl${post} ${base}${path.replace("{requestId}", "order-1")}${body}`;
}

function schemaPart(name: string, schema: Schema): Part {
  const rows = fieldRows(schema);
  const text = `${name} ${JSON.stringify(schema)}`.toLowerCase();
  const content = `<section id="${html(name)}">
<h2>${html(name)}</h2>
<p>${words(schema.description ?? "")}</p>
${rows.length > 0 ? table(["Field", "Type", "Meaning"], rows) : `<p>${typeOf(schema)}</p>`}
</section>`;
  return { id: name, title: name, content, text };
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
    // Link to the whole page: a search may have hidden the target.
    return `<a href="openapi#${html(name)}">${html(name)}</a>`;
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
