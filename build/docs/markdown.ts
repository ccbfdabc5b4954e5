/** Makes Markdown tables and puts them into pages. */

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Puts a table between `<!-- name -->` and `<!-- /name -->`. */
export function replaced(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`there is no place for ${name}; add ${begin} and ${end} to the page`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
