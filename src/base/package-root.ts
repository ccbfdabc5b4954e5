/** Finds the folder of the package's own files, in the sources and in the build alike. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("no package.json above the program: the installation is incomplete");
    folder = parent;
  }
  return folder;
}

export const PACKAGE_ROOT = findRoot();

/**
 * Whether this is the package for developers. The package for shops has no emulator. The sources have the emulator in
 * the root folder, a package has it in `dist`.
 */
export const HAS_EMULATOR = ["harness", "dist/harness"].some((folder) => existsSync(join(PACKAGE_ROOT, folder)));

export const MANIFEST = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
  readonly version: string;
  readonly engines: { readonly node: string };
};

/** Version of the package, as npm writes it: `1.0.0-rc.1`. */
export const PACKAGE_VERSION = MANIFEST.version;

/** softwareVersion of status (docs/interface.md, "Status record"). */
export const SOFTWARE_VERSION = dottedVersion(PACKAGE_VERSION);

/** Returns a version as dotted numbers: a pre-release (`-rc.1`) and a build (`+5`) are left out. */
export function dottedVersion(version: string): string {
  return version.replace(/[-+].*$/, "");
}
