/** Reads the names of time zones that authorities use: IANA's, and Windows' (protocol facts, section 11). */
import { isTimeZone } from "./zoned.js";

/** Windows' names of the zones of the countries in countries.ts, in lower case. Node knows only IANA's names. */
const WINDOWS_ZONES = new Map([
  ["central europe standard time", "Europe/Belgrade"],
  ["central european standard time", "Europe/Sarajevo"],
  ["central pacific standard time", "Pacific/Efate"],
  ["fiji standard time", "Pacific/Fiji"],
  ["samoa standard time", "Pacific/Apia"],
]);

/** Returns IANA's name of a time zone; undefined if neither the table nor this runtime knows the name. */
export function ianaZone(name: string): string | undefined {
  const trimmed = name.trim();
  return WINDOWS_ZONES.get(trimmed.toLowerCase()) ?? (isTimeZone(trimmed) ? trimmed : undefined);
}

/** Returns IANA's name of the machine's time zone. */
export function machineZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
