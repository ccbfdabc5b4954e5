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
  markdown: { anchor: { slugify: anchorOf } },
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
