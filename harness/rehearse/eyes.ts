/** Rows that people of an authority check by eye or at its portal. Traffic cannot show them, so they never pass. */
import { INSTRUCTION, MANUAL_TEST } from "./rule.js";

export interface EyesRow {
  readonly id: string;
  readonly text: string;
  readonly source: string;
}

const PAPER = `${INSTRUCTION}, the printed receipt`;

export const EYES: readonly EyesRow[] = [
  { id: "EYES-NOTICE", source: PAPER, text: "“This is not a fiscal receipt” is printed twice as large as the text." },
  { id: "EYES-QR", source: PAPER, text: "The QR code is 40 to 50 mm wide, and a phone scans it." },
  { id: "EYES-ADVERT", source: PAPER, text: "Adverts stand below the end line." },
  { id: "EYES-SIGNATURE", source: PAPER, text: "A Copy Refund has a line for the signature: Потпис купца." },
  {
    id: "EYES-ERRORS",
    source: MANUAL_TEST,
    text: "Errors come as a list in order of priority. The POS shows the first.",
  },
  { id: "EYES-SEARCH", source: MANUAL_TEST, text: "The POS finds a receipt in its own list." },
  { id: "EYES-CATALOGUE", source: MANUAL_TEST, text: "The POS has a catalogue of items." },
  { id: "EYES-E-MAIL", source: MANUAL_TEST, text: "The POS sends a receipt by e-mail." },
  { id: "EYES-BROCHURE", source: MANUAL_TEST, text: "There is a brochure in Serbian." },
  {
    id: "EYES-MANUALS",
    source: MANUAL_TEST,
    text: "There are manuals for use, for installation and for configuration in Serbian.",
  },
  {
    id: "EYES-ONLINE",
    source: MANUAL_TEST,
    text: "One receipt of the online service is handed in, if the POS supports it.",
  },
  { id: "EYES-PORTAL", source: MANUAL_TEST, text: "The data of the receipts agree with the authority's portal." },
];
