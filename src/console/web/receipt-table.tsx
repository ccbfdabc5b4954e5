/** A table of receipts. */
import { type Kind, kindOf } from "../../fiscal/counters.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import { WITHOUT_NUMBER } from "./receipt.js";
import { useSpeech } from "./texts.js";

interface ReceiptTableProps {
  readonly receipts: readonly ReceiptRow[];
  /** The id or the number of the chosen receipt. */
  readonly chosen?: string | undefined;
  /** The text if there are no receipts. */
  readonly none: string;
  /** Whether each receipt has one line: the head has the numbers' common part, and no RequestId is shown. */
  readonly brief?: true;
}

export function ReceiptTable({ receipts, chosen, none, brief }: ReceiptTableProps) {
  const { say } = useSpeech();
  if (receipts.length === 0) return <p class="muted">{none}</p>;
  const common = brief ? commonPart(receipts) : "";
  return (
    <table class={brief ? "receipts brief" : "receipts"}>
      <thead>
        <tr>
          <th scope="col">
            {say("number")}
            {common !== "" && <span class="muted"> {common}…</span>}
          </th>
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
            common={common}
            isBrief={brief === true}
            isChosen={chosen === String(row.id) || (chosen !== undefined && chosen === row.number)}
          />
        ))}
      </tbody>
    </table>
  );
}

/** The part before the counter, such as `UID-UID-`, if all numbers begin with it; otherwise "". */
function commonPart(receipts: readonly ReceiptRow[]): string {
  const [first = "", ...others] = receipts.map(({ number }) => number?.replace(/[^-]*$/, "") ?? "");
  return others.every((other) => other === first) ? first : "";
}

/** Most receipts of a shop are of this kind, so a short list does not name it. */
function isUsual({ invoiceType, transactionType }: Kind): boolean {
  return invoiceType === "Normal" && transactionType === "Sale";
}

interface ReceiptProps {
  readonly row: ReceiptRow;
  readonly common: string;
  readonly isBrief: boolean;
  readonly isChosen: boolean;
}

function Receipt({ row, common, isBrief, isChosen }: ReceiptProps) {
  const { say, time: timeText, amount } = useSpeech();
  const { id, state, number, time, totalAmount, extension, requestId } = row;
  const kind = extension === null ? undefined : kindOf(extension);
  const isRefund = kind?.transactionType === "Refund";
  return (
    <tr class={isChosen ? "chosen" : ""}>
      <th scope="row">
        <a
          href={`#/receipts/${id}`}
          aria-current={isChosen ? "true" : undefined}
          aria-label={common === "" ? undefined : (number ?? undefined)}
        >
          {number?.slice(common.length) ?? say(WITHOUT_NUMBER[state])}
        </a>
        {kind && !(isBrief && isUsual(kind)) && (
          <span class={isRefund ? "tag bad" : "tag"}>{say(`kind${kind.invoiceType}${kind.transactionType}`)}</span>
        )}
        {requestId !== null && !isBrief && (
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
