/** Settings for the look of receipts. */
import { JOURNAL_HEADERS } from "../../fiscal/journal/journal.js";
import { NUMBER_FORMS } from "../../fiscal/journal/layout.js";
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
    description:
      "form of the journal's header: `left` breaks no line; `centred` breaks between words; `labelled` names each field. Default: `labelled` in English, `centred` in Republika Srpska, otherwise `left`",
    scope: "behaviour",
    console: "receipts",
  },
  numberForm: {
    schema: { type: "string", enum: NUMBER_FORMS },
    description:
      "numbers and hours on receipts, in every language: `comma` prints 1.234,50 and 9:05:00, `point` prints 1,234.50 and 09:05:00. Default: `point` in English, otherwise `comma`",
    scope: "behaviour",
    console: "receipts",
  },
} as const satisfies SettingRows;
