/** Addresses and links of the site. `npm run test:site` builds it and opens it in a browser. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const { anchorOf, placeOf, sidebarOf, sitePage } = (await import(
  pathToFileURL(join(PACKAGE_ROOT, "build", "site", "pages.mjs")).href
)) as {
  anchorOf(heading: string): string;
  placeOf(path: string): string | undefined;
  sidebarOf(index: string): unknown;
  sitePage(text: string, path: string, repository: string, linked: (path: string) => void): string;
};

it("the site puts the pages of docs at the top, and each README at its folder's address", () => {
  expect(["README.md", "docs/languages.md", "docs/ci/README.md", "clients/README.md"].map(placeOf)).toEqual([
    "index.md",
    "languages.md",
    "ci/index.md",
    "clients/index.md",
  ]);
});

it("the site gives no two pages places that differ in the case of letters only", () => {
  expect(placeOf("SECURITY.md")?.toLowerCase()).not.toBe(placeOf("docs/security.md"));
});

it("the site leads links to the new places, and notes the files that the site needs", () => {
  const linked: string[] = [];
  const text = "[start](../README.md#install) ![till](pictures/till.png) [rules](#rules) [npm](https://www.npmjs.com/)";
  expect(sitePage(text, "docs/languages.md", "", (path) => linked.push(path))).toBe(
    "[start](./index.md#install) ![till](./pictures/till.png) [rules](#rules) [npm](https://www.npmjs.com/)",
  );
  expect(linked).toEqual(["docs/pictures/till.png"]);
});

it("the site leads a link to a source to the repository, or makes it text while that has no address", () => {
  const page = (repository: string) =>
    sitePage("[step](../src/step.ts)", "docs/languages.md", repository, () => undefined);
  expect(page("https://example.org/tillseal")).toBe("[step](https://example.org/tillseal/blob/main/src/step.ts)");
  expect(page("")).toBe("step");
});

it("the site lists the pages of the index by its headings", () => {
  const index =
    "## Tutorials\n\n| Page | End |\n| --- | --- |\n| [PHP](languages.md), [README](../README.md) | a test |\n";
  expect(sidebarOf(index)).toEqual([
    {
      text: "Tutorials",
      collapsed: true,
      items: [
        { text: "PHP", link: "/languages" },
        { text: "README", link: "/" },
      ],
    },
  ]);
});

it("the site gives headings the anchors of GitHub", () => {
  expect(anchorOf("5. Put the card into other states")).toBe("5-put-the-card-into-other-states");
  expect(anchorOf("What a POS must send (`expect`)")).toBe("what-a-pos-must-send-expect");
});
