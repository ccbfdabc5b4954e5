/**
 * What only the publisher knows: names and addresses, and the digest of the images' base, in deploy/publisher.json. An empty field is
 * not known yet. Tests make packages with empty fields; a release refuses empty fields.
 */
import { join } from "node:path";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

export const PUBLISHER = readJson(join(ROOT, "deploy", "publisher.json"));

/** Words by which people find the package. */
const KEYWORDS = ["fiscal", "receipt", "invoice", "pos", "smart-card", "pcsc", "emulator", "taxcore", "esir", "lpfr"];

/** @returns the names of the fields that are still empty */
export const emptyFields = () => Object.keys(PUBLISHER).filter((field) => PUBLISHER[field] === "");

/** @returns the fields of package.json that name the publisher, without empty ones */
export function publisherFields() {
  const { repository, homepage, bugs, author } = PUBLISHER;
  const known = Object.entries({ homepage, bugs, author }).filter(([, value]) => value !== "");
  return {
    keywords: KEYWORDS,
    ...(repository === "" ? {} : { repository: { type: "git", url: `git+${repository}.git` } }),
    ...Object.fromEntries(known),
  };
}

/** The image that matches a version of the package for npm. */
export const emulatorImage = (version, { images } = PUBLISHER) =>
  images === "" ? "tillseal:emulator" : `${images}/tillseal:emulator-${version}`;

/** Where everything else is published, in Markdown; before the publisher is known, how to make it. */
export function whereToGet(version, publisher = PUBLISHER) {
  const { images, downloads, repository } = publisher;
  const names = [
    `emulator-${version}`,
    ...(version.includes("-") ? [] : [`emulator-${version.split(".")[0]}`, "emulator"]),
  ];
  const image =
    images === ""
      ? "`docker build -f docker/Dockerfile --target emulator -t tillseal:emulator .` in a checkout"
      : names.map((name) => `\`${images}/tillseal:${name}\``).join(", ");
  const shops = downloads === "" ? "`npm run release` in a checkout" : `[downloads](${downloads})`;
  const action =
    repository === "" ? "`action.yml` in a checkout" : `\`uses: ${new URL(repository).pathname.slice(1)}@v${version}\``;
  return `- Image of the emulator: ${image}\n- Packages for shops: ${shops}\n- Action for GitHub: ${action}`;
}
