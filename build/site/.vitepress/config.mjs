/** The settings of VitePress. build.mjs has written the pages and the list of them. */
import { readFileSync } from "node:fs";
import { anchorOf } from "../pages.mjs";

export default {
  title: "tillseal",
  description: "Local fiscal service for points of sale, and the card emulator",
  srcDir: "pages",
  outDir: "../../out/site",
  base: process.env.SITE_BASE ?? "/",
  cleanUrls: false,
  // Addresses of a service on the reader's own machine.
  ignoreDeadLinks: "localhostLinks",
  markdown: { anchor: { slugify: anchorOf }, config: drawDiagrams },
  themeConfig: {
    search: { provider: "local" },
    sidebar: JSON.parse(readFileSync(new URL("../pages/sidebar.json", import.meta.url), "utf8")),
    nav: [
      { text: "All pages", link: "/all" },
      { text: "Interface", link: "/api" },
      { text: "Changes", link: "/CHANGELOG" },
    ],
    outline: [2, 3],
  },
};

function drawDiagrams({ renderer }) {
  const { fence } = renderer.rules;
  renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    return info.trim() === "mermaid"
      ? `<Diagram text="${encodeURIComponent(content)}" />`
      : fence(tokens, index, ...rest);
  };
}
