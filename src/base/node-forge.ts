/** Loads node-forge only when a certificate is made or a PFX file is read, because most starts do not need it. */
import { createRequire } from "node:module";
import type forge from "node-forge";

let loaded: typeof forge | undefined;

export function nodeForge(): typeof forge {
  loaded ??= createRequire(import.meta.url)("node-forge") as typeof forge;
  return loaded;
}
