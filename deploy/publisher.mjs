/**
 * What only the publisher knows: names and addresses, and the digest of the images' base, in deploy/publisher.json. An empty field is
 * not known yet. Tests make packages with empty fields; a release refuses empty fields.
 */
import { join } from "node:path";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

export const PUBLISHER = readJson(join(ROOT, "deploy", "publisher.json"));

/** Words by which people find the package. */
const KEYWORDS =
  "e-sdc, l-pfr, esir, taxcore, fiscalization, fiscal receipt, invoice, pos, serbia, smart card, pcsc, emulator, simulator";

/** @returns the names of the fields that are still empty */
export const emptyFields = () => Object.keys(PUBLISHER).filter((field) => PUBLISHER[field] === "");

/** @returns the fields of package.json that name the publisher, without empty ones */
export function publisherFields() {
  const { repository, homepage, bugs, author } = PUBLISHER;
  const known = Object.entries({ homepage, bugs, author }).filter(([, value]) => value !== "");
  return {
    keywords: KEYWORDS.split(", "),
    ...(repository === "" ? {} : { repository: { type: "git", url: `git+${repository}.git` } }),
    ...Object.fromEntries(known),
  };
}

/** The file .github/CODEOWNERS: GitHub asks these people to review each pull request. */
export const codeOwners = ({ codeOwners: owners } = PUBLISHER) =>
  `# npm run docs writes this file from codeOwners in deploy/publisher.json.\n${owners === "" ? "" : `* ${owners}\n`}`;

/** The image that matches a version of the package for npm. */
export const emulatorImage = (version, { images } = PUBLISHER) =>
  images === "" ? "tillseal:emulator" : `${images}/tillseal:emulator-${version}`;

/** What npm installs: the published version, or before that the tarball of `npm run build:npm`. */
export const npmSpec = (version, { repository } = PUBLISHER) =>
  repository === "" ? `./tillseal-${version}.tgz` : `tillseal@${version}`;

/** @param inNpm returns the version that npm has for a name, or "" @returns what npm has, best this version; undefined if nothing */
export function publishedSpec(version, inNpm, { repository } = PUBLISHER) {
  // Before tillseal is published, the name may be a stranger's.
  const found = repository === "" ? "" : inNpm(`tillseal@${version}`) || inNpm("tillseal");
  return found === "" ? undefined : `tillseal@${found}`;
}

/** The commands that put the package into an empty folder, in Markdown. @param made whether the reader has the tarball */
export function howToInstall(version, made, publisher = PUBLISHER) {
  const install = `npm init -y && npm install --save-dev ${npmSpec(version, publisher)}`;
  const block = (...lines) => ["```sh", ...lines, "```"].join("\n");
  if (made || publisher.repository !== "") return `<!-- not run: changes this machine -->\n${block(install)}`;
  return [
    '<!-- not run: needs a new checkout "npm ci" -->',
    "<!-- run by: test/clients/run.mjs -->",
    block(
      "npm ci && npm run build:npm",
      `mkdir ../my-till && cp out/tillseal-${version}.tgz ../my-till && cd ../my-till`,
      install,
    ),
  ].join("\n");
}

/** Where everything is published, as a table in Markdown; before the publisher is known, how to make it in a checkout. */
export function whereToGet(version, publisher = PUBLISHER) {
  const { images, downloads, repository } = publisher;
  const image = (target) => {
    if (images === "") return `\`docker build -f docker/Dockerfile --target ${target} -t tillseal:${target} .\``;
    const short = version.includes("-") ? [] : [`${target}-${version.split(".")[0]}`, target];
    return [`${target}-${version}`, ...short].map((name) => `\`${images}/tillseal:${name}\``).join(", ");
  };
  const shop = (make) => (downloads === "" ? `\`${make}\`` : `[downloads](${downloads})`);
  const action = new URL(repository === "" ? "https://host/." : repository).pathname.slice(1);
  const rows = [
    [
      "package for npm: develop and test a POS",
      `\`${repository === "" ? "npm run build:npm" : "npm install tillseal"}\``,
    ],
    ["image of the emulator: test in CI", image("emulator")],
    ["image for shops", image("card")],
    ["package for shops on Debian", shop("npm run build:debian")],
    ["setup for shops on Windows", shop("node deploy/windows/build.mjs out")],
    [
      "[action](docs/ci/README.md#with-the-action) for GitHub: test a POS, play scenarios",
      `\`uses: ${action === "" ? "./.tillseal" : `${action}@v${version}`}\``,
    ],
  ];
  return ["| What | How to get it |", "| --- | --- |", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
}
