/** Chooses the form of receipts from the country, the language and the settings. */
import { countryOf } from "./countries.js";
import type { JournalHeader } from "./journal/journal.js";
import type { NumberForm, ReceiptForm } from "./journal/layout.js";
import type { ReceiptLanguage } from "./language.js";

/**
 * @param code code of the environment's country @param numberForm the setting; undefined for that of the language
 * @returns undefined for the usual form of the language
 */
export function receiptFormOf(code: string, numberForm: NumberForm | undefined): ReceiptForm | undefined {
  const columns = countryOf(code)?.columns?.value ?? 40;
  return columns === 40 && numberForm === undefined ? undefined : { columns, numberForm };
}

/** Returns the form of the header without the setting `journalHeader`. */
export function usualHeader(language: ReceiptLanguage, form: ReceiptForm | undefined): JournalHeader {
  if (language === "en-US") return "labelled";
  return form?.columns === 38 ? "centred" : "left";
}
