/** The index of the documentation as `llms.txt`: the form in which coding agents look for it (https://llmstxt.org). */

const HEAD = `# tillseal

> A local fiscal service (REST, JSON) that lets a tax authority's smart card sign fiscal receipts, and the smart card emulator that makes
> it usable without a card. Other names of such a service: E-SDC, L-PFR (ЛПФР); of the POS that calls it: ESIR (ЕСИР).
`;

/** @param index docs/README.md: headings, and tables whose first column links to pages */
export function pagesForAgents(index: string): string {
  const lines = index.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) return ["", line, ""];
    const [first = "", second = ""] = line.split("|").slice(1, -1);
    const links = first.match(/\[[^\]]+\]\([^)]+\)/g) ?? [];
    return links.map((link) => `- ${link}: ${second.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").trim()}`);
  });
  // A section without links, such as the common questions, says nothing here.
  const sections = lines
    .join("\n")
    .split(/\n(?=\n## )/)
    .filter((section) => section.includes("- ["));
  return `${HEAD}${sections.map((section) => `\n${section.trim()}\n`).join("")}`;
}
