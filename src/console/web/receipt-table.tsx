/** A table of receipts. */
import { kindOf } from "../../fiscal/counters.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import { useSpeech } from "./texts.js";

interface ReceiptTableProps {
  readonly receipts: readonly ReceiptRow[];
  /** The id or the number of the chosen receipt. */
  readonly chosen?: string | undefined;
  /** The text if there are no receipts. */
  readonly none: string;
}

export function ReceiptTable({ receipts, chosen, none }: ReceiptTableProps) {
  const { say } = useSpeech();
  if (receipts.length === 0) return <p class="muted">{none}</p>;
  return (
    <table class="receipts">
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
        {receipts.map((row) => (
          <Receipt
            key={row.id}
            row={row}
            isChosen={chosen === String(row.id) || (chosen !== undefined && chosen === row.number)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Receipt({ row, isChosen }: { readonly row: ReceiptRow; readonly isChosen: boolean }) {
  const { say, time: timeText, amount } = useSpeech();
  const { id, state, number, time, totalAmount, extension, requestId } = row;
  const kind = extension === null ? undefined : kindOf(extension);
  const isRefund = kind?.transactionType === "Refund";
  return (
    <tr class={isChosen ? "chosen" : ""}>
      <th scope="row">
        <a href={`#/receipts/${id}`} aria-current={isChosen ? "true" : undefined}>
          {number ?? say(state === "lost" ? "lost" : "notSaved")}
        </a>
        {kind && (
          <span class={isRefund ? "tag bad" : "tag"}>{say(`kind${kind.invoiceType}${kind.transactionType}`)}</span>
        )}
        {requestId !== null && (
          <span class="muted request-id" title={requestId}>
            {requestId}
          </span>
        )}
      </th>
      <td>{time !== null && timeText(time)}</td>
      <td class={isRefund ? "number refund" : "number"}>
        {totalAmount !== null && amount(isRefund ? `-${totalAmount}` : totalAmount)}
      </td>
    </tr>
  );
}
