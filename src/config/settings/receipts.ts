/** What receipts look like. */
import { JOURNAL_HEADERS } from "../../fiscal/journal/journal.js";
import { RECEIPT_LANGUAGES } from "../../fiscal/language.js";
import type { SettingRows } from "./row.js";

export const RECEIPT_SETTINGS = {
  languages: {
    schema: { type: "array", items: { type: "string", enum: RECEIPT_LANGUAGES }, minItems: 1, uniqueItems: true },
    description:
      "languages of receipts; a POS that asks for none gets the first one. Default: the languages of the environment",
    scope: "behaviour",
    console: "receipts",
  },
  journalHeader: {
    schema: { type: "string", enum: JOURNAL_HEADERS },
    default: "left",
    description:
      "form of the journal's header: `left` breaks no line; `centred` breaks between words; `labelled` names each field and has lines for cashier and change (seen on one receipt only)",
    scope: "behaviour",
    console: "receipts",
  },
  qrFormat: {
    schema: { type: "string", enum: ["png", "gif"] },
    default: "png",
    description: "QR code as a PNG data URI, or as the bare base64 of a GIF",
    scope: "behaviour",
    console: "receipts",
  },
} as const satisfies SettingRows;
