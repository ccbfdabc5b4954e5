/** All countries with rules in this folder. */
import { REPUBLIKA_SRPSKA } from "./ba-rs.js";
import type { Country, CountryId } from "./country.js";
import { FIJI } from "./fj.js";
import { SERBIA } from "./rs.js";
import { VANUATU } from "./vu.js";
import { SAMOA } from "./ws.js";

export const COUNTRIES: Readonly<Record<CountryId, Country>> = {
  rs: SERBIA,
  "ba-rs": REPUBLIKA_SRPSKA,
  fj: FIJI,
  ws: SAMOA,
  vu: VANUATU,
};

/**
 * @param code `C` in the card's certificate, or `country` of the environment
 * @returns undefined for unknown countries
 */
export function countryOf(code: string): Country | undefined {
  const wanted = code.trim().toUpperCase();
  return Object.values(COUNTRIES).find((country) => country.code.value === wanted);
}
