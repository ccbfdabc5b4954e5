/**
 * The page Audit: progress of the audit of the card step by step, a button that starts an audit, and the audit without
 * internet.
 */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { AuditCardRecord, AuditsRecord, OpenAuditRecord, VerdictRecord } from "../records/audits.js";
import type { InfoRecord } from "../records/info.js";
import type { TillRecord } from "../records/till.js";
import { useLive } from "./api.js";
import { AmountsPanel, clockText, contactFacts, sourceText } from "./authority.js";
import { CardKeyPanel } from "./card-key.js";
import { ChangesToRead } from "./changes-to-read.js";
import { Locked } from "./locked.js";
import { PinEntry } from "./pin-entry.js";
import { StickPanel } from "./stick-panel.js";
import { type Speech, type TextKey, useSpeech } from "./texts.js";
import { Facts, Panel, Waiting } from "./ui.js";
import { useAuditStart } from "./use-audit-start.js";

interface AuditPageProps {
  readonly info: InfoRecord;
  /** Called when the service has accepted the console's token, so that the caller may see more. */
  readonly opened: () => void;
  /**
   * Part of the address after the page's name. With `stick`, the page asks at once whether to carry the sales to a
   * stick.
   */
  readonly rest: string;
  /** Makes the content below the authority's address. */
  readonly belowAddress?: (address: string) => ComponentChildren;
}

export function AuditPage({ info, opened, rest, belowAddress }: AuditPageProps) {
  const { say } = useSpeech();
  const { value: till, refresh: lookAtTill } = useLive<TillRecord>("/console/till");
  const { value: audits, error, refresh } = useLive<AuditsRecord>(info.trusted ? "/console/audit" : undefined);
  /**
   * Repeats the import from the stick, which writes the results of commands that waited for a person's confirmation.
   */
  const importAgain = useRef<(() => void) | undefined>(undefined);
  if (!info.trusted) return <Locked info={info} opened={opened} />;
  if (!till || !audits) return <Waiting title={say("audit")} problem={error?.message} />;
  const changed = () => {
    refresh();
    lookAtTill();
  };
  const here = audits.cards.find(({ inReader }) => inReader);
  const others = audits.cards.filter(({ inReader, unsent, audit }) => !inReader && (unsent > 0 || audit !== null));
  return (
    <>
      <h1 class="unseen">{say("audit")}</h1>
      <div class="panels">
        <CurrentPanel till={till} card={here} changed={changed} />
        {till.audit && <AmountsPanel title={say("sumAndLimit")} audit={till.audit} />}
        {here && <SalesPanel card={here} audits={audits} />}
        <AuthorityPanel till={till} audits={audits} belowAddress={belowAddress} />
        {audits.cardKey && <CardKeyPanel cardKey={audits.cardKey} asksPin={info.asksPin} changed={changed} />}
        <ChangesToRead info={info} changed={changed} answered={() => importAgain.current?.()} />
        <StickPanel
          uid={here?.uid}
          starts={here !== undefined && here.audit === null}
          asks={rest === "stick"}
          changed={changed}
          imported={(again) => {
            importAgain.current = again;
          }}
        />
        {others.map((card) => (
          <OldCardPanel key={card.uid} card={card} audits={audits} changed={changed} />
        ))}
      </div>
    </>
  );
}

interface CurrentPanelProps {
  readonly till: TillRecord;
  readonly card: AuditCardRecord | undefined;
  readonly changed: () => void;
}

/** Panel that shows the current audit, or the button that starts an audit. */
function CurrentPanel({ till, card, changed }: CurrentPanelProps) {
  const { say, finding, time } = useSpeech();
  const { busy, ask, askProofAgain, outcome } = useAuditStart(changed);
  const open = card?.audit ?? null;
  const last = card?.lastAudit ?? null;
  return (
    <Panel title={say("auditNow")}>
      {open ? (
        <Steps audit={open} />
      ) : (
        <p>
          {card
            ? say(card.auditDamaged ? "auditDamaged" : "noAuditOpen")
            : finding({ key: "noCard", values: {} }).sentence}
        </p>
      )}
      {last && <p>{say(OUTCOMES[last.outcome], { moment: time(last.endedAt) })}</p>}
      {till.card.state === "ready" && till.card.pin === "required" ? (
        <>
          <p>{say("auditNeedsPin")}</p>
          <PinEntry key={till.card.uid} pinTriesLeft={till.card.pinTriesLeft} entered={changed} />
        </>
      ) : till.auditState === "no-connection" ? (
        <p>{say("auditNoConnectionNow")}</p>
      ) : (
        card && (
          <div class="row">
            {open ? (
              <button type="button" disabled={busy} onClick={askProofAgain}>
                {say("askProofAgain")}
              </button>
            ) : (
              <button type="button" class="main" disabled={busy} onClick={ask}>
                {say("startAudit")}
              </button>
            )}
          </div>
        )
      )}
      {outcome}
    </Panel>
  );
}

const OUTCOMES = { ended: "lastAuditEnded", void: "lastAuditVoid", superseded: "lastAuditSuperseded" } as const;

/** Steps of an audit in their order, each with its text. The audit waits for one of them. */
const STEPS: readonly (readonly [OpenAuditRecord["waitsFor"] | "start", TextKey])[] = [
  ["start", "stepStart"],
  ["packages", "stepPackages"],
  ["request", "stepRequest"],
  ["proof", "stepProof"],
  ["card", "stepCard"],
];

function Steps({ audit }: { readonly audit: OpenAuditRecord }) {
  const { say, time, amount } = useSpeech();
  const { startedAt, requestedAt, sum, waitsFor } = audit;
  const now = STEPS.findIndex(([step]) => step === waitsFor);
  const facts: Partial<Record<string, string>> = {
    start: say("stepStarted", { moment: time(startedAt), sum: amount(sum) }),
    ...(requestedAt === null || now < 3 ? {} : { request: time(requestedAt) }),
  };
  return (
    <ol class="steps">
      {STEPS.map(([step, text], i) => {
        const state = i < now ? "stepDone" : i === now ? "stepNow" : "stepLater";
        return (
          <li key={step} class={state} aria-current={i === now ? "step" : undefined}>
            <span>{say(text)}</span>
            <span class="muted">{[say(state), facts[step]].filter(Boolean).join(" · ")}</span>
          </li>
        );
      })}
    </ol>
  );
}

interface CardProps {
  readonly card: AuditCardRecord;
  readonly audits: AuditsRecord;
}

function SalesPanel({ card, audits: { unsentLimit, configured } }: CardProps) {
  const speech = useSpeech();
  const { say, language } = speech;
  const { unsent, packages, lastPackage, wrong, lastWrong, refused, failed, missing } = card;
  const share = Math.min(unsent / unsentLimit, 1);
  const mood = share >= 1 ? "bad" : share >= 0.9 ? "care" : "good";
  return (
    <Panel title={say("unsentSales")}>
      <p class="amounts">
        <strong>{unsent.toLocaleString(language)}</strong> {say("of")} {unsentLimit.toLocaleString(language)}
      </p>
      <meter class="unseen" min={0} max={unsentLimit} value={unsent} aria-label={say("unsentSales")} />
      <svg class={`bar ${mood}`} aria-hidden="true">
        <rect width={`${share * 100}%`} height="100%" />
      </svg>
      <p class="muted">{say(configured ? "unsentMeaning" : "unsentMeaningAlone")}</p>
      <Facts
        facts={[
          [say("packages"), unsent > 0 ? say(packages) : null],
          [say("lastPackage"), verdictText(lastPackage, speech)],
          [say("wrongPackages"), wrong > 0 && [`${wrong}, `, verdictText(lastWrong, speech)]],
        ]}
      />
      <Refusals refused={refused} />
      <FailedCommands failed={failed} />
      <Missing missing={missing} />
    </Panel>
  );
}

/** Shows the packages that the authority refused, and what to do about them. */
function Refusals({ refused }: Pick<AuditCardRecord, "refused">) {
  const { say, time } = useSpeech();
  if (refused.length === 0) return null;
  return (
    <div class="refused">
      <p>{say("refusedPackages", { n: refused.length })}</p>
      <ul>
        {refused.map(({ number, reason, at }) => (
          <li key={number}>
            {number}, {time(at)}:{" "}
            <span class="reason" lang="en">
              {reason}
            </span>
          </li>
        ))}
      </ul>
      <p>{say("refusedPackagesTodo")}</p>
    </div>
  );
}

/** Shows the sales that this store does not have, and what to do about them. */
function Missing({ missing }: Pick<AuditCardRecord, "missing">) {
  const { say } = useSpeech();
  if (missing.length === 0) return null;
  const counters = missing.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
  return (
    <div class="refused">
      <p>{say("missingSales", { counters })}</p>
      <p>{say("missingSalesTodo")}</p>
    </div>
  );
}

function FailedCommands({ failed }: Pick<AuditCardRecord, "failed">) {
  const { say, time } = useSpeech();
  if (failed.length === 0) return null;
  return (
    <div class="refused">
      <p>{say("failedCommands", { n: failed.length })}</p>
      <ul>
        {failed.map(({ commandId, type, reason, at }) => (
          <li key={commandId}>
            {say(COMMAND_TEXTS[type] ?? "commandUnknown")}, {time(at)}:{" "}
            <span class="reason" lang="en">
              {reason}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const COMMAND_TEXTS: Readonly<Record<number, TextKey>> = {
  0: "commandRates",
  1: "commandTime",
  2: "commandUrl",
  5: "commandProof",
  7: "commandConfiguration",
  8: "commandDirective",
};

/** Texts for the statuses that the authority gives to packages. The index of a text is the status. */
const STATUS_TEXTS: readonly TextKey[] = [
  ...(["package0", "package1", "package2", "package3", "package4", "package5", "package6"] as const),
];

function verdictText(record: VerdictRecord | null, { say, time }: Speech): ComponentChildren {
  if (!record) return null;
  const { number, status, at } = record;
  const text = status === null ? "packageDamaged" : STATUS_TEXTS[status];
  return [<code key={number}>{number}</code>, `: ${text ? say(text) : String(status)}, ${time(at)}`];
}

interface AuthorityPanelProps {
  readonly till: TillRecord;
  readonly audits: AuditsRecord;
  readonly belowAddress: AuditPageProps["belowAddress"];
}

function AuthorityPanel({ till, audits: { address, configured }, belowAddress }: AuthorityPanelProps) {
  const speech = useSpeech();
  const { say } = speech;
  const { environment, authority, clock } = till;
  return (
    <Panel title={say("taxAuthority")}>
      {environment && <p class="name">{environment.organization}</p>}
      {!configured && <p>{say("noAuthority")}</p>}
      <Facts
        facts={[
          [say("address"), address],
          ...(configured ? contactFacts(authority, speech) : []),
          [say("environmentFrom"), environment && sourceText(environment, speech)],
          [say("timeServer"), clock && clockText(clock, speech)],
        ]}
      />
      {address !== null && belowAddress?.(address)}
    </Panel>
  );
}

/** Panel for a replaced card, whose sales a stick carries to the authority. */
function OldCardPanel({ card, changed }: CardProps & { readonly changed: () => void }) {
  const { say } = useSpeech();
  const { uid, unsent, audit, refused } = card;
  return (
    <StickPanel
      title={say("oldCard", { uid })}
      about={say(audit ? "oldCardAudit" : "oldCardSales", { n: unsent })}
      more={<Refusals refused={refused} />}
      uid={uid}
      starts={false}
      changed={changed}
    />
  );
}
