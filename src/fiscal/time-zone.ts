/**
 * Reads the names of time zones that tax authorities use: IANA's names, and Windows' names (protocol facts, section 11).
 */
import { WINDOWS_ZONES } from "./windows-zones.js";
import { isTimeZone } from "./zoned.js";

/**
 * IANA's zones for each Windows zone, such as `Asia/Dubai OM=Asia/Muscat`. The key is the Windows name in lower case.
 */
export const windowsZones: ReadonlyMap<string, string> = new Map(
  WINDOWS_ZONES.trim()
    .split("\n")
    .map((line): [string, string] => {
      const [name = "", zones = ""] = line.split("|");
      return [name.toLowerCase(), zones];
    }),
);

/**
 * Returns IANA's name of a time zone, such as `Europe/Belgrade` for `Central Europe Standard Time` in RS; undefined if
 * neither CLDR nor this runtime knows the name.
 * @param country two letters; of the several IANA zones of a Windows zone, the zone of this country comes first
 */
export function ianaZone(name: string, country: string): string | undefined {
  const trimmed = name.trim();
  const zones = windowsZones.get(trimmed.toLowerCase());
  if (zones === undefined) return isTimeZone(trimmed) ? trimmed : undefined;
  const [everywhere, ...others] = zones.split(" ");
  const own = others.find((other) => other.startsWith(`${country.toUpperCase()}=`))?.slice("RS=".length);
  // An older runtime may not know the zone of a territory. Use the general zone then.
  return [own, everywhere].find((zone) => zone !== undefined && isTimeZone(zone));
}

/** Returns IANA's name of the machine's time zone. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
