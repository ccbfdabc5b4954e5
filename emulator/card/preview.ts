/** The card and environment that the emulator shows for each value of the setting `country` (docs/countries.md). */
import type { Settings } from "../../src/config/settings.js";
import type { Preview } from "../../src/fiscal/countries.js";

export interface PreviewFiles {
  readonly profile: string;
  readonly environment: string;
}

const SPECIFICATION: PreviewFiles = { profile: "default", environment: "specification" };

const FILES: Readonly<Record<Preview, PreviewFiles>> = {
  rs: { profile: "default", environment: "cyrillic" },
  "ba-rs": { profile: "ba-rs", environment: "ba-rs" },
  fj: { profile: "fj", environment: "fj" },
  vu: { profile: "vu", environment: "vu" },
};

export function previewOf({ country }: Pick<Settings, "country">): PreviewFiles {
  return country === undefined ? SPECIFICATION : FILES[country];
}
