/** Shows reports to confirm and sales in doubt, each with what to do. */
import { useState } from "preact/hooks";
import type { DoubtRecord, ReportRecord, ReportsRecord, TrainingRecord } from "../records/reports.js";
import { reportTexts, WAY_TEXTS } from "../report-texts.js";
import { call, useLive } from "./api.js";
import { Ask, type Question } from "./ask.js";
import { type TextKey, useSpeech } from "./texts.js";
import { Panel, Problem, useAction } from "./ui.js";
import { usePermit } from "./use-permit.js";

/** What a Training receipt has shown of the sale in doubt; undefined if it is still in doubt. */
const SETTLED: Readonly<Record<TrainingRecord["sale"], TextKey | undefined>> = {
  intent: undefined,
  complete: "settledSigned",
  adopted: "settledSigned",
  lost: "settledLost",
  unproven: "settledLost",
  gone: "settledNotSigned",
};

/** @param changed called after a report was confirmed or a sale settled */
export function ReportsPanel({ changed }: { readonly changed: () => void }) {
  const { say } = useSpeech();
  const { value, refresh } = useLive<ReportsRecord>("/console/reports");
  const [question, setQuestion] = useState<Question>();
  const [notice, setNotice] = useState<TextKey>();
  const { busy, problem, run } = useAction(() => {
    refresh();
    changed();
  });
  const { permit, dialog } = usePermit();
  const ask: Asking = (asked, path, body) => {
    const act = () => {
      setNotice(undefined);
      run(async () => {
        const settled = await permit((pin) =>
          call<TrainingRecord | undefined>(`/console/reports/${path}`, { method: "POST", body: { ...body, ...pin } }),
        );
        if (settled) setNotice(SETTLED[settled.sale]);
      });
    };
    setQuestion({
      title: say(asked.ask),
      answer: say(asked.answer),
      ...(asked.means && { means: say(asked.means) }),
      act,
    });
  };
  const { inDoubt = [], reports = [] } = value ?? {};
  if (inDoubt.length + reports.length === 0 && !notice && problem === "") return null;
  return (
    <Panel title={say("reports")} class="reports">
      <p role="status">{notice && say(notice)}</p>
      <Problem text={problem} />
      <ul aria-busy={busy}>
        {inDoubt.map((sale) => (
          <Doubt key={`sale ${sale.id}`} sale={sale} ask={ask} />
        ))}
        {reports.map((report) => (
          <Report key={`report ${report.id}`} report={report} ask={ask} />
        ))}
      </ul>
      {question && <Ask question={question} closed={() => setQuestion(undefined)} />}
      {dialog}
    </Panel>
  );
}

interface Asked {
  readonly ask: TextKey;
  readonly means?: TextKey;
  readonly answer: TextKey;
}

/** Asks the person, then posts the answer. */
type Asking = (asked: Asked, path: "confirm" | "decide" | "training", body: object) => void;

const SIGNED: Asked = { ask: "signedAsk", means: "signedMeans", answer: "wasSigned" };
const NOT_SIGNED: Asked = { ask: "notSignedAsk", means: "notSignedMeans", answer: "wasNotSigned" };
const TRAINING: Asked = { ask: "trainingAsk", means: "trainingMeans", answer: "signTraining" };

function Doubt({ sale, ask }: { readonly sale: DoubtRecord; readonly ask: Asking }) {
  const { say, amount } = useSpeech();
  const { id, uid, since, totalAmount, requestId, wayOut } = sale;
  return (
    <li class="bad">
      <p class="name">{say("saleInDoubt")}</p>
      <Details at={since} uid={uid} requestId={requestId} first={totalAmount && amount(totalAmount)} />
      <p>{say(WAY_TEXTS[wayOut], { uid })}</p>
      {wayOut !== "pin" && (
        <div class="row">
          {wayOut === "training" && (
            <button type="button" class="main" onClick={() => ask(TRAINING, "training", { id })}>
              {say("signTraining")}
            </button>
          )}
          <button type="button" onClick={() => ask(SIGNED, "decide", { id, signed: true })}>
            {say("wasSigned")}
          </button>
          <button type="button" onClick={() => ask(NOT_SIGNED, "decide", { id, signed: false })}>
            {say("wasNotSigned")}
          </button>
        </div>
      )}
    </li>
  );
}

function Report({ report, ask }: { readonly report: ReportRecord; readonly ask: Asking }) {
  const { say } = useSpeech();
  const { id, uid, from, to, at, requestId } = report;
  const texts = reportTexts(report);
  return (
    <li class="care">
      <p class="name">{say(texts.message, { from: from ?? "", to: to ?? "" })}</p>
      <Details at={at} uid={uid} requestId={requestId} />
      <p>{say(texts.todo)}</p>
      <div class="row">
        <button type="button" onClick={() => ask({ ask: texts.ask, answer: "confirm" }, "confirm", { ids: [id] })}>
          {say("confirm")}
        </button>
      </div>
    </li>
  );
}

type DetailsProps = Pick<ReportRecord, "uid" | "requestId"> & Partial<Record<"at" | "first", string | null>>;

function Details({ at, uid, requestId, first = null }: DetailsProps) {
  const { say, time } = useSpeech();
  const all = [
    first,
    at && say("since", { time: time(at) }),
    `${say("card")} ${uid}`,
    requestId && `RequestId ${requestId}`,
  ];
  return <p class="muted">{all.filter(Boolean).join(" · ")}</p>;
}
