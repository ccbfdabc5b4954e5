/** Chooses the line width and the number form of a country's receipts. */

import { countryOf } from "./countries/countries.js";
import { type NumberForm, type ReceiptForm, STANDARD_FORM } from "./journal/layout.js";

/**
 * @param code code of the environment's country @param numberForm the setting; undefined for the form of the country
 * @returns the form of receipts; undefined for the most frequent form, 40 columns and decimal commas
 */
export function receiptFormOf(code: string, numberForm: NumberForm | undefined): ReceiptForm | undefined {
  const country = countryOf(code);
  const form: ReceiptForm = {
    columns: country?.columns?.value ?? STANDARD_FORM.columns,
    numberForm: numberForm ?? country?.numberForm?.value ?? STANDARD_FORM.numberForm,
  };
  const isStandard = form.columns === STANDARD_FORM.columns && form.numberForm === STANDARD_FORM.numberForm;
  return isStandard ? undefined : form;
}
