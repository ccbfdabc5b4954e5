/** Rows that people of an authority check by eye or at its portal. Traffic cannot show them, so they never pass. */
import { INSTRUCTION, MANUAL_TEST } from "./rule.js";
import { textsOf } from "./texts.js";

const ON_PAPER = ["NOTICE", "QR", "ADVERT", "SIGNATURE"];
const TRIED = ["ERRORS", "SEARCH", "CATALOGUE", "E-MAIL", "BROCHURE", "MANUALS", "ONLINE", "PORTAL"];

const rowsFrom = (source: string, names: readonly string[]) =>
  names.map((name) => ({ id: `EYES-${name}`, source, text: textsOf(`EYES-${name}`, "english").text }));

export const EYES = [...rowsFrom(`${INSTRUCTION}, the printed receipt`, ON_PAPER), ...rowsFrom(MANUAL_TEST, TRIED)];
