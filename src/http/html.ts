/** Pages that load nothing: escaped text, one style for light and dark, small screens and large. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand in an element or an attribute. */
export function html(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** What a page may load: its own style, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
  h2 { margin-top: 2.5rem; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding-top: 1rem; }
  code, pre { font: 0.9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { white-space: pre-wrap; padding: 0.75rem; background: color-mix(in srgb, currentColor 7%, transparent); border-radius: 0.4rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
  tbody tr { border-top: 1px solid color-mix(in srgb, currentColor 15%, transparent); }`;

/** @param body HTML already. @param style more rules */
export function page(title: string, body: string, style = ""): string {
  return `<!doctype html>
<html lang="en">
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
