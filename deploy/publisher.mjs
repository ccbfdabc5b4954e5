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
