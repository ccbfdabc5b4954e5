/**
 * Writes `src/fiscal/windows-zones.ts`: Windows' names of time zones, from Unicode's CLDR (docs/decisions/README.md).
 * `npm run zones` runs it after an update of cldr-core; a test compares the file with this output.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

/** Part of supplemental/windowsZones.json. */
interface WindowsZones {
  readonly supplemental: {
    readonly windowsZones: {
      readonly mapTimezones: readonly {
        /** `_type`: one zone or several, the most important first. */
        readonly mapZone: { readonly _other: string; readonly _type: string; readonly _territory: string };
      }[];
    };
  };
}

export const WINDOWS_ZONES_FILE = join(PACKAGE_ROOT, "src", "fiscal", "windows-zones.ts");

/** The text of {@link WINDOWS_ZONES_FILE}. */
export function windowsZonesModule(): string {
  const file = createRequire(import.meta.url).resolve("cldr-core/supplemental/windowsZones.json");
  const { supplemental } = JSON.parse(readFileSync(file, "utf8")) as WindowsZones;
  const zones = new Map<string, string[]>();
  for (const { mapZone } of supplemental.windowsZones.mapTimezones) {
    const { _other: name, _type: type, _territory: territory } = mapZone;
    const [first = type] = type.split(" ");
    const known = zones.get(name) ?? [];
    // The zone of territory 001 comes first. It applies to every territory that the line does not name.
    if (territory === "001") zones.set(name, [first, ...known]);
    else if (known[0] !== first) zones.set(name, [...known, `${territory}=${first}`]);
  }
  const lines = [...zones].map(([name, values]) => `${name}|${values.join(" ")}`);
  return [
    "/** Written by `npm run zones` from CLDR (Unicode License v3): Windows' names of time zones. Do not edit. */",
    "",
    "/** A line for each: the name, its zone, and the zones of territories that have another one. */",
    "export const WINDOWS_ZONES = `\\",
    ...lines,
    "`;",
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(WINDOWS_ZONES_FILE, windowsZonesModule());
