/** Shows one receipt: its text, its amounts, and the content of its QR code. */

import { kindOf } from "../../fiscal/counters.js";
import { onPaper } from "../../fiscal/journal/on-paper.js";
import type { ReceiptRow } from "../../ledger/receipt-row.js";
import type { ReceiptDetailRecord, SignedRecord } from "../records/receipts.js";
import { useLive } from "./api.js";
import { Downloads } from "./downloads.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Facts, Waiting } from "./ui.js";

/** @param chosen the entry's id, or the number of the receipt as in its URL */
export function ReceiptPanel({ chosen }: { readonly chosen: string }) {
  const { say } = useSpeech();
  const { value: receipt, error } = useLive<ReceiptDetailRecord>(`/console/receipts/${chosen}`);
  if (!receipt) {
    return (
      <article class="panel receipt">
        <a class="back" href="#/receipts">
          {say("back")}
        </a>
        <Waiting problem={error?.message} />
      </article>
    );
  }
  const { id, signed, number, state, intact, request, answer, todaysRates, original, followers } = receipt;
  return (
    <article class="panel receipt">
      <a class="back" href="#/receipts">
        {say("back")}
      </a>
      <h2>{number ?? say(WITHOUT_NUMBER[state])}</h2>
      {!intact && <p class="notice care">{say("damaged")}</p>}
      {state === "adopted" && <p class="notice care">{say("adopted")}</p>}
      {todaysRates && <p class="notice care">{say("todaysRates")}</p>}
      {original && (
        <p>
          {say("originalIs")}{" "}
          {original.row ? <a href={`#/receipts/${original.row.id}`}>{original.number}</a> : original.number}
          {!original.row && <span class="muted"> {say("originalNotHere")}</span>}
        </p>
      )}
      {followers.rows.length > 0 && (
        <p class="followers">
          {say("followedBy")}
          {followers.rows.map((row) => (
            <Follower key={row.id} row={row} />
          ))}
        </p>
      )}
      {followers.reading && <p class="muted">{say("readingReceipts", { ...followers.reading })}</p>}
      {signed ? <Signed id={id} signed={signed} name={number ?? "receipt"} /> : intact && <p>{say(UNSIGNED[state])}</p>}
      {request !== null && <Details title={say("understood")} text={request} />}
      {answer !== null && <Details title={say("answer")} text={answer} />}
    </article>
  );
}

/** Shows a link to a refund or a copy of the receipt. */
function Follower({ row: { id, number, extension } }: { readonly row: ReceiptRow }) {
  const { say } = useSpeech();
  const kind = extension === null ? undefined : kindOf(extension);
  return (
    <>
      {" "}
      <a href={`#/receipts/${id}`}>{number}</a>
      {kind && <span class="tag">{say(`kind${kind.invoiceType}${kind.transactionType}`)}</span>}
    </>
  );
}

/** Texts that say why there is no signed receipt. */
const UNSIGNED = {
  intent: "notSavedLong",
  lost: "lostLong",
  unproven: "unproven",
  complete: "damaged",
  adopted: "damaged",
} as const satisfies Record<ReceiptRow["state"], TextKey>;

/** Texts in the place of a number that is not known. */
export const WITHOUT_NUMBER = {
  intent: "notSaved",
  lost: "lost",
  unproven: "noNumber",
  complete: "noNumber",
  adopted: "noNumber",
} as const satisfies Record<ReceiptRow["state"], TextKey>;

function Details({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      {/* A region that scrolls must be reachable with keys. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with keys */}
      <pre class="json" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}

interface SignedProps {
  readonly id: number;
  readonly signed: SignedRecord;
  readonly name: string;
}

function Signed({ id, signed, name }: SignedProps) {
  const { say } = useSpeech();
  const { journal, qr, hashValid, signatureValid, verificationUrl, decoded } = signed;
  return (
    <>
      {/* The verdicts are above the receipt, so that both are visible without scrolling. */}
      <ul class="verdicts">
        <li class={hashValid ? "good" : "bad"}>{say(hashValid ? "hashValid" : "hashInvalid")}</li>
        <li class={signatureValid === null ? "care" : signatureValid ? "good" : "bad"}>
          {say(signatureValid === null ? "signatureUnknown" : signatureValid ? "signatureValid" : "signatureInvalid")}
        </li>
      </ul>
      {journal.length > 0 && <Downloads id={id} signed={signed} name={name} />}
      <Paper journal={journal} qr={qr} />
      <h3>{say("verification")}</h3>
      <p class="address">
        <a href={verificationUrl} target="_blank" rel="noreferrer">
          {say("openVerification")}
        </a>
      </p>
      <details>
        <summary>{say("decoded")}</summary>
        <Facts facts={Object.entries(decoded).map(([field, value]) => [field, String(value)])} />
      </details>
    </>
  );
}

/** Shows a receipt as on paper. The QR code is before the last line (protocol facts, section 6). */
function Paper({ journal, qr }: Pick<SignedRecord, "journal" | "qr">) {
  const { say } = useSpeech();
  const lines = onPaper(journal);
  return (
    <div class="paper">
      <Lines lines={lines.slice(0, -1)} />
      <QrCode rows={qr} label={say("qrCode")} />
      <Lines lines={lines.slice(-1)} />
    </div>
  );
}

/** Shows each line in its own element, because right-to-left text must not reorder the lines around it. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre>
      {lines.map((line, i) => (
        <bdi key={i} dir="ltr">
          {line}
          {"\n"}
        </bdi>
      ))}
    </pre>
  );
}

const QUIET_ZONE = 4;

function QrCode({ rows, label }: { readonly rows: readonly string[]; readonly label: string }) {
  const side = rows.length + 2 * QUIET_ZONE;
  const dark = rows.map((row, y) =>
    [...row.matchAll(/1+/g)].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join(""),
  );
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`-${QUIET_ZONE} -${QUIET_ZONE} ${side} ${side}`}
      shapeRendering="crispEdges"
    >
      <path d={dark.join("")} />
    </svg>
  );
}
