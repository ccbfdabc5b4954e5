/** Time zones as tax authorities name them: IANA's names, and Windows' names (protocol facts, section 8). */
import { isTimeZone } from "./time.js";
import { WINDOWS_ZONES } from "./windows-zones.js";

/** The zones of IANA for each Windows zone, such as `Asia/Dubai OM=Asia/Muscat`, by its name in lower case. */
export const windowsZones: ReadonlyMap<string, string> = new Map(
  WINDOWS_ZONES.trim()
    .split("\n")
    .map((line): [string, string] => {
      const [name = "", zones = ""] = line.split("|");
      return [name.toLowerCase(), zones];
    }),
);

/**
 * IANA's name of a time zone, such as `Europe/Belgrade` for `Central Europe Standard Time` in RS; undefined if the name
 * is unknown to CLDR and to this runtime.
 * @param country two letters: a Windows zone has several zones of IANA, and the country's comes first
 */
export function ianaZone(name: string, country: string): string | undefined {
  const trimmed = name.trim();
  const zones = windowsZones.get(trimmed.toLowerCase());
  if (zones === undefined) return isTimeZone(trimmed) ? trimmed : undefined;
  const [everywhere, ...others] = zones.split(" ");
  const own = others.find((other) => other.startsWith(`${country.toUpperCase()}=`))?.slice("RS=".length);
  // An older runtime may not know a territory's zone yet.
  return [own, everywhere].find((zone) => zone !== undefined && isTimeZone(zone));
}

/** The machine's time zone, IANA's name. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
