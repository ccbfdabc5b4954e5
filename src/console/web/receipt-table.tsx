/** A table of receipts. */
import { Fragment } from "preact";
import { kindOf } from "../../fiscal/counters.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import { WITHOUT_NUMBER } from "./receipt.js";
import { useSpeech } from "./texts.js";

interface ReceiptTableProps {
  readonly receipts: readonly ReceiptRow[];
  /** The id or the number of the chosen receipt. */
  readonly chosen?: string | undefined;
  /** The text if there are no receipts. */
  readonly none: string;
  /** Whether each receipt has one line: the counter, below the rest of its number, and no RequestId. */
  readonly brief?: true;
}

export function ReceiptTable({ receipts, chosen, none, brief }: ReceiptTableProps) {
  const { say } = useSpeech();
  if (receipts.length === 0) return <p class="muted">{none}</p>;
  const before = brief ? receipts.map(partBeforeCounter) : [];
  return (
    <table class={brief ? "receipts brief" : "receipts"}>
      <thead>
        <tr>
          <th scope="col">{say("number")}</th>
          <th scope="col">{say("time")}</th>
          <th scope="col" class="number">
            {say("amount")}
          </th>
        </tr>
      </thead>
      <tbody>
        {receipts.map((row, i) => (
          <Fragment key={row.id}>
            {before[i] && before[i] !== before[i - 1] && (
              <tr class="of-card">
                <th class="muted" colSpan={3} scope="rowgroup">
                  {before[i]}
                </th>
              </tr>
            )}
            <Receipt
              row={row}
              before={before[i]}
              isChosen={chosen === String(row.id) || (chosen !== undefined && chosen === row.number)}
            />
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** Such as `UID-UID-`. It stands once above the receipts of a card. */
function partBeforeCounter({ number }: ReceiptRow): string {
  return number?.replace(/[^-]*$/, "") ?? "";
}

/** Most receipts of a shop are of this kind, so a short list does not name it. */
function isUsual({ invoiceType, transactionType }: NonNullable<ReturnType<typeof kindOf>>): boolean {
  return invoiceType === "Normal" && transactionType === "Sale";
}

interface ReceiptProps {
  readonly row: ReceiptRow;
  /** The part of the number that stands above; undefined if the receipt shows all of it, and more. */
  readonly before: string | undefined;
  readonly isChosen: boolean;
}

function Receipt({ row, before, isChosen }: ReceiptProps) {
  const { say, time: timeText, amount } = useSpeech();
  const { id, state, intact, number, time, totalAmount, extension, requestId } = row;
  const kind = extension === null ? undefined : kindOf(extension);
  const isRefund = kind?.transactionType === "Refund";
  return (
    <tr class={isChosen ? "chosen" : ""}>
      <th scope="row">
        <a
          href={`#/receipts/${id}`}
          aria-current={isChosen ? "true" : undefined}
          aria-label={before ? (number ?? undefined) : undefined}
        >
          {number?.slice(before?.length ?? 0) ?? say(WITHOUT_NUMBER[state])}
        </a>
        {kind && !(before !== undefined && isUsual(kind)) && (
          <span class={isRefund ? "tag bad" : "tag"}>{say(`kind${kind.invoiceType}${kind.transactionType}`)}</span>
        )}
        {!intact && <span class="tag bad">{say("damagedRow")}</span>}
        {requestId !== null && before === undefined && <span class="muted request-id">{requestId}</span>}
      </th>
      <td>{time !== null && timeText(time)}</td>
      <td class={isRefund ? "number refund" : "number"}>
        {totalAmount !== null && amount(isRefund ? `-${totalAmount}` : totalAmount)}
      </td>
    </tr>
  );
}
