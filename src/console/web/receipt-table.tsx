/** Receipts in rows. */
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import { useSpeech } from "./texts.js";

interface ReceiptTableProps {
  readonly receipts: readonly ReceiptRow[];
  readonly chosen?: number | undefined;
}

export function ReceiptTable({ receipts, chosen }: ReceiptTableProps) {
  const { say, time: timeText, amount } = useSpeech();
  if (receipts.length === 0) return <p class="muted">{say("noReceipts")}</p>;
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
        {receipts.map(({ id, state, number, time, totalAmount, extension, requestId }) => (
          <tr key={id} class={id === chosen ? "chosen" : ""}>
            <th scope="row">
              <a href={`#/receipts/${id}`} aria-current={id === chosen ? "true" : undefined}>
                {number ?? say(state === "lost" ? "lost" : "notSigned")}
              </a>
              {extension !== null && <span class="tag">{extension}</span>}
              {requestId !== null && <span class="muted request-id">{requestId}</span>}
            </th>
            <td>{time !== null && timeText(time)}</td>
            <td class="number">{totalAmount !== null && amount(totalAmount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
