/**
 * The page Doctor: it shows everything that was checked, line by line, with buttons for problems that can be solved
 * here.
 */

import { sendsToDoctor } from "../../state/texts.js";
import type { CheckRecord } from "../records/doctor.js";
import type { InfoRecord } from "../records/info.js";
import type { TillRecord } from "../records/till.js";
import { useLive } from "./api.js";
import { BannerActions, Technician } from "./banner-actions.js";
import { Locked } from "./locked.js";
import { type Say, type TextKey, useSpeech } from "./texts.js";
import { Waiting } from "./ui.js";

interface DoctorPageProps {
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
}

export function DoctorPage({ info, opened }: DoctorPageProps) {
  const { say } = useSpeech();
  const { value: till, refresh: lookAtTill } = useLive<TillRecord>("/console/till");
  const url = info.trusted ? "/console/doctor" : undefined;
  const { value: checks, error, refresh } = useLive<readonly CheckRecord[]>(url);
  if (!info.trusted) return <Locked info={info} opened={opened} />;
  if (!till || !checks) return <Waiting title={say("doctor")} problem={error?.message} />;
  const changed = () => {
    lookAtTill();
    refresh();
  };
  const worst = [...checks].sort((one, other) => RANK[one.verdict] - RANK[other.verdict]);
  return (
    <section class="panel doctor">
      <h1>{say("doctor")}</h1>
      <p class="muted">{say("doctorAbout")}</p>
      <ul>
        {worst.map((check, i) => (
          <Line key={`${check.subject} ${i}`} check={check} till={till} changed={changed} isFirst={i === 0} />
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={changed}>
          {say("checkAgain")}
        </button>
      </div>
    </section>
  );
}

const RANK = { fail: 0, warn: 1, ok: 2 } as const;
const VERDICTS = { fail: "doctorFail", warn: "doctorWarn", ok: "doctorOk" } as const;
const MOODS = { fail: "bad", warn: "care", ok: "good" } as const;

const SUBJECTS: Readonly<Record<string, TextKey>> = {
  program: "subjectProgram",
  reader: "subjectReader",
  card: "card",
  PIN: "pin",
  certificate: "subjectCertificate",
  issuer: "subjectIssuer",
  limit: "sumAndLimit",
  "audit packages": "packages",
  "authority key": "keyInCard",
  "tax authority": "taxAuthority",
  "tax rates": "taxRates",
  clock: "subjectClock",
  disk: "subjectDisk",
  "data folder": "subjectFolder",
  store: "subjectStore",
  backup: "settingsBackups",
  reports: "subjectReports",
  "sales in doubt": "subjectDoubts",
};

function subjectText(subject: string, say: Say): string {
  const name = SUBJECTS[subject];
  return name ? say(name) : subject;
}

interface LineProps {
  readonly check: CheckRecord;
  readonly till: TillRecord;
  readonly changed: () => void;
  readonly isFirst: boolean;
}

function Line({ check: { subject, verdict, line, message, findings }, till, changed, isFirst }: LineProps) {
  const { say, finding, doctorLine, cardReason } = useSpeech();
  const { card } = till;
  return (
    <li>
      <span class={`tag ${MOODS[verdict]}`}>{say(VERDICTS[verdict])}</span>
      <div>
        <h2>{subjectText(subject, say)}</h2>
        {findings.map((one) => {
          const { sentence, advice, technicians } = finding(one);
          return (
            <p key={one.key}>
              <strong>{sentence}</strong> {advice} <a href={`#/help/${one.code}`}>{one.code}</a>
              {technicians !== undefined && !sendsToDoctor(technicians) && <span class="muted"> {technicians}</span>}
            </p>
          );
        })}
        {findings.length > 0 && card.state !== "ready" && (subject === "reader" || subject === "card") && (
          <p class="muted">{cardReason(card.why)}</p>
        )}
        {line ? (
          <p class="muted">{doctorLine(line)}</p>
        ) : (
          message !== "" && (
            <p class="muted" lang="en">
              {message}
            </p>
          )
        )}
        <BannerActions findings={findings} till={till} changed={changed} trusted isMain={isFirst} />
        {(subject === "sales in doubt" || subject === "reports") && findings.length > 0 && (
          <a class="button" href="#/till">
            {say("settleOnTill")}
          </a>
        )}
        {subject === "backup" && verdict !== "ok" && (
          <a class="button" href="#/settings">
            {say("settings")}
          </a>
        )}
        <Technician findings={findings} technician={till.technician} />
      </div>
    </li>
  );
}
