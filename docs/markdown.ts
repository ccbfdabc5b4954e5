/** Tables of the documentation, and where they go. */

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Puts a table between `<!-- name -->` and `<!-- /name -->`. */
export function replaced(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`no place for ${name}: ${begin} and ${end} are missing`);
  return `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
}
