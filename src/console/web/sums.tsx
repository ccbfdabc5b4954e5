/** Shows tables of amounts. */
import type { ComponentChildren } from "preact";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

export interface SumRow {
  readonly key: string;
  readonly name: string;
  /** Amounts as decimal texts, in the order of the columns; null for no amount. */
  readonly amounts: readonly (string | null)[];
}

interface SumColumn {
  readonly title: string;
  /** Whether a phone hides this column. */
  readonly wide?: boolean;
}

interface SumsProps {
  readonly title: string;
  /** Title of the column with the names of the rows. */
  readonly subject: string;
  readonly columns: readonly SumColumn[];
  readonly rows: readonly SumRow[];
  readonly total?: SumRow;
  readonly note?: string;
  /** A picture of the rows, above the table. */
  readonly children?: ComponentChildren;
}

/** Shows a table of amounts; without rows, nothing is shown. */
export function Sums({ title, subject, columns, rows, total, note, children }: SumsProps) {
  if (rows.length === 0) return null;
  return (
    <Panel title={title}>
      {note !== undefined && <p class="muted">{note}</p>}
      {children}
      <table class="sums">
        <thead>
          <tr>
            <th scope="col">{subject}</th>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={column.wide ? "number wide" : "number"}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.key} row={row} columns={columns} />
          ))}
        </tbody>
        {total && (
          <tfoot>
            <Row row={total} columns={columns} />
          </tfoot>
        )}
      </table>
    </Panel>
  );
}

function Row({ row: { name, amounts }, columns }: { readonly row: SumRow; readonly columns: readonly SumColumn[] }) {
  const { amount } = useSpeech();
  return (
    <tr>
      <th scope="row">{name}</th>
      {amounts.map((value, i) => (
        <td
          key={columns[i]?.title}
          class={["number", columns[i]?.wide ? "wide" : "", value?.startsWith("-") ? "refund" : ""].join(" ").trim()}
        >
          {value !== null && amount(value)}
        </td>
      ))}
    </tr>
  );
}

/** Returns the amount of a refund: with the opposite sign; zero gets no minus sign. */
export function minus(decimal: string): string {
  // A correction of a refund is negative already.
  if (decimal.startsWith("-")) return decimal.slice(1);
  return /[1-9]/.test(decimal) ? `-${decimal}` : decimal;
}
