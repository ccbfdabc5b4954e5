/** The page Till: whether the till can sell, and if not, what to do. */
import type { DayReportRecord } from "../../bookkeeping/day-report-record.js";
import type { Finding } from "../../state/finding.js";
import type { InfoRecord } from "../records/info.js";
import type { TillRecord } from "../records/till.js";
import { asksPerson } from "../verdict.js";
import { useConnection, useLive } from "./api.js";
import { AmountsPanel, clockText, contactFacts, sourceText } from "./authority.js";
import { auditAdvice, BannerActions, Technician } from "./banner-actions.js";
import { ChangesToRead } from "./changes-to-read.js";
import { Bars, hourBars } from "./charts.js";
import { Locked } from "./locked.js";
import { ReceiptTable } from "./receipt-table.js";
import { ReportsPanel } from "./reports.js";
import { Sentence, verdictIn } from "./sentence.js";
import { useSpeech } from "./texts.js";
import { Facts, Panel, useAgain, Waiting } from "./ui.js";
import { useSometimes } from "./use-sometimes.js";

/** ms between requests while the store refuses sales */
const AGAIN_MS = 5_000;

interface TillPageProps {
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
}

export function TillPage({ info, opened }: TillPageProps) {
  const { trusted } = info;
  const { say } = useSpeech();
  const { connected } = useConnection();
  const { value: till, error, refresh } = useLive<TillRecord>("/console/till");
  const refused = till?.findings.some(({ code }) => code === "9007" || code === "9008") ?? false;
  // The service sends no event when somebody frees space on the disk.
  useAgain(refused, refresh, AGAIN_MS);
  if (!till) return <Waiting title={say("till")} problem={error && say("notReached")} />;
  const gone = !connected || error !== undefined;
  return (
    <>
      <h1 class="unseen">{say("till")}</h1>
      <TillState till={till} gone={gone} trusted={trusted} entered={refresh} />
      {trusted ? (
        <>
          <ReportsPanel changed={refresh} />
          <ChangesToRead info={info} changed={refresh} />
        </>
      ) : (
        asksPerson(till.findings) && (
          <div class="reports">
            <Locked info={info} opened={opened} />
          </div>
        )
      )}
      <div class={gone ? "panels stale" : "panels"}>
        {trusted && <TodayPanel />}
        {trusted && (
          <Panel title={say("lastReceipts")}>
            <ReceiptTable
              receipts={till.last ?? []}
              none={say(till.last ? "noReceipts" : "receiptsUnreadable")}
              brief
            />
            <a href="#/receipts">{say("receipts")}</a>
          </Panel>
        )}
        {till.audit && (
          <AmountsPanel title={say("audit")} audit={till.audit}>
            <a href="#/audit">{say("openAudit")}</a>
          </AmountsPanel>
        )}
        <CardPanel till={till} />
      </div>
      <details class="technicians">
        <summary>{say("forTechnicians")}</summary>
        <p>
          <a href="#/doctor">{say("openDoctor")}</a>
        </p>
        <div class="panels">
          <EnvironmentPanel till={till} />
          <RatesPanel till={till} />
        </div>
      </details>
    </>
  );
}

/** Shows today's takings, and the takings of each hour. */
function TodayPanel() {
  const { say, amount, today } = useSpeech();
  const day = today();
  const { value } = useSometimes<DayReportRecord>(`/console/report?from=${day}&to=${day}`, true);
  if (!value) return null;
  const { total, hours } = value;
  return (
    <Panel title={say("today")}>
      <p>
        <strong class="sum-of-days">{amount(total.difference.amount)}</strong>{" "}
        <span class="muted">
          {say("countReceipts")}: {total.receipts}
        </span>
      </p>
      <Bars title={say("takingsByHour")} bars={hourBars(hours)} />
      <a href="#/report">{say("todaysTakings")}</a>
    </Panel>
  );
}

/** Whether the card needs its PIN now: to sell, or for the audit that resets the sum at the limit. */
export function wantsPin(findings: readonly Finding[]): boolean {
  return findings.some(({ key }) => key === "pinNeeded");
}

interface StateProps {
  readonly till: TillRecord;
  /** Whether the service does not answer. */
  readonly gone: boolean;
  /** Whether this caller may do more than read. */
  readonly trusted: boolean;
  readonly entered: () => void;
}

function TillState({ till, gone, trusted, entered }: StateProps) {
  const speech = useSpeech();
  const { say, time } = speech;
  const { card, findings, technician } = till;
  const made = verdictIn(speech, gone ? undefined : findings);
  const audit = !gone && trusted && findings[0]?.action === "audit" && auditAdvice(till.auditState, say);
  const verdict = audit ? { ...made, advice: audit } : made;
  return (
    <section class={`till-state ${verdict.mood}`}>
      <Sentence verdict={verdict} {...(gone || card.state === "ready" ? {} : { why: card.why })} />
      <p class="muted">{say("asOf", { moment: time(till.time) })}</p>
      {!gone && <BannerActions findings={findings} till={till} changed={entered} trusted={trusted} />}
      <Technician findings={findings} technician={technician} gone={gone} />
    </section>
  );
}

function CardPanel({ till: { card } }: { readonly till: TillRecord }) {
  const { say, utcDay } = useSpeech();
  if (card.state !== "ready") return null;
  const { taxpayer, uid, validTo } = card;
  return (
    <Panel title={say("cardAndTaxpayer")}>
      <p class="name">{taxpayer.businessName}</p>
      <Facts
        facts={[
          [say("tin"), taxpayer.tin],
          [say("location"), taxpayer.locationName],
          [say("address"), [taxpayer.address, taxpayer.district].filter(Boolean).join(", ")],
          [say("cardNumber"), <code>{uid}</code>],
          [say("cardValidTo"), utcDay(validTo)],
        ]}
      />
    </Panel>
  );
}

function EnvironmentPanel({ till: { environment, authority, clock, card } }: { readonly till: TillRecord }) {
  const speech = useSpeech();
  const { say, languageName } = speech;
  const { contact } = authority;
  if (!environment && contact === "not-asked") return null;
  const talk = contactFacts(authority, speech);
  if (!environment) {
    return (
      <Panel title={say("authority")}>
        <Facts facts={talk} />
      </Panel>
    );
  }
  const { organization, timeZone, languages, unproven } = environment;
  return (
    <Panel title={say("environment")}>
      <p class="name">{environment.name}</p>
      <Facts
        facts={[
          [say("authority"), organization],
          ...talk,
          [say("environmentFrom"), sourceText(environment, speech)],
          [say("timeServer"), clock && clockText(clock, speech)],
          [say("timeZone"), timeZone],
          [say("receiptLanguages"), languages.map(languageName).join(", ")],
          [say("appletVersion"), card.state === "ready" ? card.appletVersion : null],
          [say("unprovenCountry"), unproven.map((fact) => say(`country_${fact}`)).join(", ")],
        ]}
      />
    </Panel>
  );
}

function RatesPanel({ till: { rates } }: { readonly till: TillRecord }) {
  const { say, day } = useSpeech();
  if (rates.length === 0) return null;
  return (
    <Panel title={say("taxRates")}>
      {rates.map(({ validFrom, current, rates: labels }) => (
        <details key={validFrom} open={current}>
          <summary>
            {say("validFrom", { day: day(validFrom) })}
            {current && <span class="tag">{say("current")}</span>}
          </summary>
          <table>
            <thead>
              <tr>
                <th scope="col">{say("label")}</th>
                <th scope="col">{say("category")}</th>
                <th scope="col" class="number">
                  {say("rate")}
                </th>
              </tr>
            </thead>
            <tbody>
              {labels.map(({ label, category, rate }) => (
                <tr key={`${category} ${label}`}>
                  <th scope="row">{label}</th>
                  <td>{category}</td>
                  <td class="number">{rate}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ))}
    </Panel>
  );
}
