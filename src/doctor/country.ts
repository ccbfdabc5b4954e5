/** Says which of the country's values have no proof (docs/countries.md). */
import { proofOf } from "../fiscal/countries.js";
import { type Check, ok, warn } from "./check.js";

/**
 * The line about the country.
 * @param code country of the environment that the shop sells with; undefined without an environment, which gives no
 * line
 */
export function checkCountry(code: string | undefined): Check[] {
  if (code === undefined) return [];
  const { proven, text } = proofOf(code);
  return [
    proven
      ? ok("country", text)
      : warn("country", `${text}; compare them with the documents of your tax authority before you sell`),
  ];
}
