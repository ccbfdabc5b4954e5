/** Fields that filter the list of receipts. */
import { KINDS } from "../../fiscal/counters.js";
import { PAYMENT_TYPES, type PaymentType } from "../../fiscal/invoice.js";
import { useSpeech } from "./texts.js";

export const NO_FILTERS = { kind: "", payment: "", label: "" };
export type Filters = typeof NO_FILTERS;

/** Returns the chosen filters as parameters of a request. */
export function filterQuery(filters: Filters): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value.trim() !== ""));
}

interface ReceiptFiltersProps {
  readonly filters: Filters;
  readonly change: (filters: Filters) => void;
}

export function ReceiptFilters({ filters, change }: ReceiptFiltersProps) {
  const { say } = useSpeech();
  const count = Object.keys(filterQuery(filters)).length;
  const set = (name: keyof Filters) => (event: { readonly currentTarget: { readonly value: string } }) =>
    change({ ...filters, [name]: event.currentTarget.value });
  const kinds = KINDS.map(({ invoiceType, transactionType }) => ({
    value: `${invoiceType} ${transactionType}`,
    text: say(`kind${invoiceType}${transactionType}`),
  }));
  const payments = (Object.keys(PAYMENT_TYPES) as PaymentType[]).map((value) => ({ value, text: say(`pay${value}`) }));
  return (
    <details class="filters">
      <summary>
        {say("filter")}
        {count > 0 && <span class="tag">{count}</span>}
      </summary>
      <search>
        {[["kind", kinds] as const, ["payment", payments] as const].map(([name, choices]) => (
          <label key={name}>
            {say(name)}
            <select value={filters[name]} onChange={set(name)}>
              <option value="">{say("any")}</option>
              {choices.map(({ value, text }) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
        <label>
          {say("label")}
          <input value={filters.label} onInput={set("label")} />
        </label>
        {count > 0 && (
          <button type="button" onClick={() => change(NO_FILTERS)}>
            {say("noFilter")}
          </button>
        )}
      </search>
    </details>
  );
}
