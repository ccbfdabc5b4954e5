/** Reads names of time zones that tax authorities use: IANA's and Windows' names (protocol facts, section 11). */
import WINDOWS_ZONES from "./windows-zones.json" with { type: "json" };
import { isTimeZone } from "./zoned.js";

/**
 * IANA's zones for each Windows zone, such as `Asia/Dubai OM=Asia/Muscat`, by its Windows name in lower case. From CLDR
 * 48 (Unicode License v3): the zone, and the zones of territories that have another one.
 */
export const windowsZones: ReadonlyMap<string, string> = new Map(
  Object.entries(WINDOWS_ZONES).map(([name, zones]) => [name.toLowerCase(), zones]),
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

export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
