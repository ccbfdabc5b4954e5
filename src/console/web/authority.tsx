/** Parts about the tax authority and the card's limit that several pages show. */
import type { ComponentChildren } from "preact";
import { AUDIT_DUE_PERCENT } from "../../fiscal/limit.js";
import type { SentSource } from "../../ledger/sent.js";
import type { ClockRecord, TillRecord } from "../records/till.js";
import { type Speech, useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

interface AmountsPanelProps {
  readonly title: string;
  readonly audit: NonNullable<TillRecord["audit"]>;
  readonly children?: ComponentChildren;
}

export function AmountsPanel({ title, audit: { sum, limit }, children }: AmountsPanelProps) {
  const { say, amount } = useSpeech();
  // A floating-point number is exact enough for the length of a bar.
  const share = Number(limit) > 0 ? Math.min(Number(sum) / Number(limit), 1) : 1;
  const percent = Math.floor(share * 100);
  const mood = share >= 1 ? "bad" : share * 100 >= AUDIT_DUE_PERCENT ? "care" : "good";
  return (
    <Panel title={title}>
      <p>{say("auditSum")}</p>
      <p class="amounts">
        <strong>{amount(sum)}</strong> {say("of")} {amount(limit)}
      </p>
      {/* Some browsers cannot style a meter with CSS, so only screen readers get the meter, and the bar is visible. */}
      <meter class="unseen" min={0} max={100} value={percent} aria-label={title} />
      <svg class={`bar ${mood}`} aria-hidden="true">
        <rect width={`${share * 100}%`} height="100%" />
      </svg>
      <p class="muted">{say("auditPercent", { percent })}</p>
      {children}
    </Panel>
  );
}

type Fact = readonly [string, string | null];

const REACHED = { reachable: "yes", "not-reachable": "no", "not-asked": "notAsked" } as const;

/** Returns the facts whether the authority answers, since when, and what does not work. */
export function contactFacts({ contact, since, at, problem }: TillRecord["authority"], { say, time }: Speech): Fact[] {
  const reached = say(REACHED[contact]);
  return [
    [
      say("authorityReached"),
      since === null || at === null
        ? reached
        : say("sinceMoment", { what: reached, at: time(at), moment: time(since) }),
    ],
    [say("authorityProblem"), problem],
  ];
}

/** Returns a text about the sources of the tax rates and parameters. */
export function sourceText({ file, sources }: NonNullable<TillRecord["environment"]>, { say, time }: Speech): string {
  if (file !== null) return say("fromFile", { file });
  return sources
    .map(({ source, values, since }) => `${say(FROM[source], { moment: time(since) })}${values}`)
    .join("; ");
}

const FROM = {
  authority: "fromAuthority",
  file: "fromImported",
  backup: "fromBackup",
} as const satisfies Record<SentSource, string>;

export function clockText({ server, ahead, at, problem }: ClockRecord, { say, duration, time }: Speech): string {
  const asked = { server, at: time(at) };
  if (ahead === null || problem !== null) return say("clockUnknown", asked);
  return say(ahead < 0 ? "clockBehind" : "clockAhead", { ...asked, duration: duration(Math.abs(ahead)) });
}
