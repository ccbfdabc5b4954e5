/** The page Day report: the sales of today or of other days, on the screen, on paper and as files. */
import { useState } from "preact/hooks";
import type { BalanceRecord, DayReportRecord, KindRecord } from "../../bookkeeping/day-report-record.js";
import type { NumberForm } from "../../fiscal/journal/layout.js";
import { dayAfter, isDay } from "../../fiscal/zoned.js";
import type { InfoRecord } from "../records/info.js";
import { Bars, Days, hourBars, Shares } from "./charts.js";
import { Locked } from "./locked.js";
import { PAPERS, type PaperWidth } from "./paper.js";
import { pdfOf } from "./pdf.js";
import { Lines } from "./receipt.js";
import { minus, type SumRow, Sums } from "./sums.js";
import { amountText, type Language, numberFormOf, SpeechContext, useSpeech } from "./texts.js";
import { DayField, download, Facts, Problem, useAction } from "./ui.js";
import { useSometimes } from "./use-sometimes.js";
import { workbookOf } from "./workbook.js";

export interface PrintedReportRecord extends DayReportRecord {
  /** When the receipts were added up: ISO 8601, UTC. */
  readonly madeAt: string;
  readonly lines: readonly string[];
}

/** Language of the printed report for each language of the console. */
const PAPER_LANGUAGES: Readonly<Record<Language, string>> = {
  en: "en-US",
  "sr-Cyrl": "sr-Cyrl-RS",
  "sr-Latn": "sr-Latn-RS",
};

interface DayReportPageProps {
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
}

export function DayReportPage({ info, opened }: DayReportPageProps) {
  const speech = useSpeech();
  const { say, language, today } = speech;
  // The chosen days. Undefined means today, also when a new day has begun after midnight.
  const [chosen, setChosen] = useState<{ readonly from: string; readonly to: string }>();
  const now = today();
  const { from, to } = chosen ?? { from: now, to: now };
  const valid = isDay(from) && isDay(to) && from <= to;
  const query = new URLSearchParams({ from, to });
  const wanted = info.trusted && valid ? `/console/report?${query}&language=${PAPER_LANGUAGES[language]}` : undefined;
  // Fetch only today's report again after a sale, because a long period, such as a year, is expensive to add up.
  const { value: report, error, waiting } = useSometimes<PrintedReportRecord>(wanted, from === now && to === now);
  if (!info.trusted) return <Locked info={info} opened={opened} />;
  const form = report?.numberForm ?? numberFormOf(language);
  // As on the paper beside it.
  const formed = { ...speech, amount: (decimal: string) => amountText(decimal, form) };
  const month = `${now.slice(0, 8)}01`;
  const lastMonth = dayAfter(month, -1);
  const periods = [
    [say("today"), now, now],
    [say("yesterday"), dayAfter(now, -1), dayAfter(now, -1)],
    [say("thisMonth"), month, now],
    [say("lastMonth"), `${lastMonth.slice(0, 8)}01`, lastMonth],
  ] as const;
  return (
    <SpeechContext.Provider value={formed}>
      <div class="sides report">
        <section class="list">
          <div class="panel">
            <h1>{say("report")}</h1>
            <search>
              {(["from", "to"] as const).map((name) => (
                <DayField
                  key={name}
                  title={say(name)}
                  value={name === "from" ? from : to}
                  change={(value) => setChosen({ from, to, [name]: value })}
                />
              ))}
            </search>
            <div class="row">
              {periods.map(([title, first, last]) => (
                <button
                  key={title}
                  type="button"
                  aria-pressed={from === first && to === last}
                  onClick={() => setChosen(first === now ? undefined : { from: first, to: last })}
                >
                  {title}
                </button>
              ))}
            </div>
            <p class="muted" role="status">
              {waiting ? say("adding") : ""}
            </p>
            <Problem text={error?.message ?? ""} />
            {report && <Summary report={report} />}
          </div>
          {report && <Shares labels={report.labels} />}
          {report && <Tables report={report} />}
        </section>
        {report ? (
          <PaperPanel report={report} form={form} query={query} />
        ) : (
          <p class="panel muted hint">{say("adding")}</p>
        )}
      </div>
    </SpeechContext.Provider>
  );
}

function Summary({ report }: { readonly report: PrintedReportRecord }) {
  const { say, amount, time } = useSpeech();
  const { total, first, last, withoutItems, unreadable } = report;
  return (
    <>
      {total.receipts === 0 ? (
        <p>{say("nothingSold")}</p>
      ) : (
        <p>
          <strong class="sum-of-days">{amount(total.difference.amount)}</strong>{" "}
          <span class="muted">
            {say("tax")}: {amount(total.difference.tax)}
          </span>
        </p>
      )}
      <p class="muted">{say("asOf", { moment: time(report.madeAt) })}</p>
      {withoutItems > 0 && <p class="notice care">{say("withoutItems", { n: withoutItems })}</p>}
      {unreadable > 0 && <p class="notice bad">{say("unreadableReceipts", { n: unreadable })}</p>}
      <Facts
        facts={[
          [say("countReceipts"), total.receipts || null],
          [say("firstNumber"), first && <code>{first}</code>],
          [say("lastNumber"), last && <code>{last}</code>],
        ]}
      />
    </>
  );
}

function Tables({ report }: { readonly report: DayReportRecord }) {
  const { say, day, percent } = useSpeech();
  const { total, payments, labels, kinds, apart, cashiers, days } = report;
  const [sales, refunds, difference, tax] = [say("sales"), say("refunds"), say("difference"), say("tax")];
  const balance = [{ title: sales, wide: true }, { title: refunds, wide: true }, { title: difference }, { title: tax }];
  const row = (key: string, name: string, sold: BalanceRecord): SumRow => ({
    key,
    name,
    amounts: [sold.sales.amount, minus(sold.refunds.amount), sold.difference.amount, sold.difference.tax],
  });
  const kindRow = ({ invoiceType, transactionType, receipts, amount, tax: taxes }: KindRecord): SumRow => ({
    key: invoiceType + transactionType,
    name: `${say(`kind${invoiceType}${transactionType}`)} (${receipts})`,
    amounts: [amount, taxes],
  });
  const amountAndTax = [{ title: say("amount") }, { title: tax }];
  const whole = row("total", say("sumTotal"), total);
  return (
    <>
      <Sums
        title={say("takings")}
        subject={say("payment")}
        columns={[{ title: sales, wide: true }, { title: refunds, wide: true }, { title: difference }]}
        rows={payments.map((paid) => ({
          key: paid.payment,
          name: say(`pay${paid.payment}`),
          amounts: [paid.sales, minus(paid.refunds), paid.difference],
        }))}
        total={{ ...whole, amounts: whole.amounts.slice(0, 3) }}
      />
      <Sums
        title={say("recapitulation")}
        subject=""
        columns={amountAndTax}
        rows={
          total.receipts === 0
            ? []
            : [
                { key: "sales", name: sales, amounts: [total.sales.amount, total.sales.tax] },
                {
                  key: "refunds",
                  name: refunds,
                  amounts: [minus(total.refunds.amount), minus(total.refunds.tax)],
                },
              ]
        }
        total={{ key: "difference", name: difference, amounts: [total.difference.amount, total.difference.tax] }}
      />
      <Sums
        title={say("taxByLabel")}
        subject={say("label")}
        columns={balance}
        rows={labels.map((label) =>
          row(label.label + label.rate, `${label.label} ${label.category} ${percent(Number(label.rate))}`, label),
        )}
      />
      <Sums title={say("kinds")} subject={say("kind")} columns={amountAndTax} rows={kinds.map(kindRow)} />
      <Sums
        title={say("cashiers")}
        subject={say("cashier")}
        columns={balance}
        rows={cashiers.map((sold) => row(sold.cashier ?? "", sold.cashier ?? say("noCashier"), sold))}
      />
      <Sums
        title={say("byHour")}
        subject={say("hour")}
        columns={balance}
        rows={report.hours.map((sold) => row(String(sold.hour), `${sold.hour}:00`, sold))}
        total={whole}
      >
        <Bars title={say("takingsByHour")} bars={hourBars(report.hours)} />
      </Sums>
      <Sums
        title={say("byDay")}
        subject={say("day")}
        columns={balance}
        rows={days.length < 2 ? [] : days.map((sold) => row(sold.day, day(`${sold.day}T12:00Z`), sold))}
        total={whole}
      >
        <Days report={report} />
      </Sums>
      <Sums
        title={say("apart")}
        note={say("apartMeans")}
        subject={say("kind")}
        columns={amountAndTax}
        rows={apart.map(kindRow)}
      />
    </>
  );
}

interface PaperPanelProps {
  readonly report: PrintedReportRecord;
  readonly form: NumberForm;
  readonly query: URLSearchParams;
}

function PaperPanel({ report, form, query }: PaperPanelProps) {
  const { lines, from, to } = report;
  const speech = useSpeech();
  const { say, language, moment } = speech;
  const { busy, problem, run } = useAction();
  const name = ["report", ...new Set([from, to])].join("-");
  const period = new URLSearchParams({
    from: moment(`${from}T00:00`).toISOString(),
    to: moment(`${dayAfter(to)}T00:00`).toISOString(),
  });
  const pdf = async (width: PaperWidth) =>
    download(`${name}-${width}.pdf`, await pdfOf({ journal: lines, qr: [] }, width, name));
  return (
    <section class="panel" aria-label={say("report")}>
      <div class="row downloads">
        <button type="button" class="main" onClick={() => print()}>
          {say("print")}
        </button>
        {(Object.keys(PAPERS) as PaperWidth[]).map((width) => (
          <button key={width} type="button" disabled={busy} onClick={() => run(() => pdf(width))}>
            PDF {width}
          </button>
        ))}
        <button
          type="button"
          disabled={busy}
          onClick={() => run(async () => download(`${name}.xlsx`, await workbookOf(report, speech)))}
        >
          {say("workbook")}
        </button>
        <a
          class="button"
          href={`/console/report.csv?${query}&decimal=${form}&language=${PAPER_LANGUAGES[language]}`}
          download={`${name}.csv`}
        >
          {say("csvForExcel")}
        </a>
        <a class="button" href={`/console/items.csv?${period}&decimal=${form}`} download={`items-${name}.csv`}>
          {say("itemsCsv")}
        </a>
        <a
          class="button"
          href={`/console/report.txt?${query}&language=${PAPER_LANGUAGES[language]}`}
          download={`${name}.txt`}
        >
          {say("asText")}
        </a>
      </div>
      <Problem text={problem} />
      <div class="paper">
        <Lines lines={lines} />
      </div>
    </section>
  );
}
