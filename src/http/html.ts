/** Makes HTML pages without external resources. One style serves light and dark colours, small and large screens. */
import { COLOUR_RULES } from "../base/colours.js";
import { printableText } from "../base/printable.js";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for an element or an attribute, and what would control a terminal or turn the text around. */
export function html(text: string): string {
  return printableText(text).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** Content security policy of a page: it may load only its own style. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `${COLOUR_RULES}
  :root { font: 16px/1.5 system-ui, sans-serif; }
  body { background: var(--page); color: var(--ink); max-width: 60rem; margin: 0 auto; padding: 1rem; }
  h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
  code, pre { font: 0.9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { white-space: pre-wrap; padding: 0.75rem; background: var(--surface); border: 1px solid var(--line); border-radius: 0.6rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; }
  tbody tr { border-top: 1px solid var(--line); }`;

/** Makes a page. @param body HTML @param style additional CSS rules */
export function page(title: string, body: string, style = "", language = "en"): string {
  return `<!doctype html>
<html lang="${html(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
