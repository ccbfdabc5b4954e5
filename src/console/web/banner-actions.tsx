/** Shows buttons that do what the findings ask for, and which technician to call. */
import { Fragment } from "preact";
import type { Action, Finding } from "../../state/finding.js";
import type { TillRecord } from "../records/till.js";
import { FreeSpace } from "./free-space.js";
import { PinEntry } from "./pin-entry.js";
import { type Say, type TextKey, useSpeech } from "./texts.js";
import { useAuditStart } from "./use-audit-start.js";

interface BannerActionsProps {
  /** The most important one first. */
  readonly findings: readonly Finding[];
  readonly till: Pick<TillRecord, "auditState" | "card">;
  readonly changed: () => void;
  /** Whether this caller may do more than enter the PIN: the service refuses the other actions to others. */
  readonly trusted: boolean;
  /** Whether the first action is the main one of the page. */
  readonly isMain?: boolean;
}

type Kind = "pin" | "audit" | "key-pin" | "space" | "settings";

function kindOf({ key, action }: Finding): Kind | undefined {
  if (key === "pinNeeded") return "pin";
  const kinds = { audit: "audit", "enter-pin": "key-pin", "free-space": "space", configure: "settings" } as const;
  return action in kinds ? kinds[action as keyof typeof kinds] : undefined;
}

/** Shows the buttons, those for the most important finding first. Only the first one is filled. */
export function BannerActions({ findings, till, changed, trusted, isMain = true }: BannerActionsProps) {
  const { say } = useSpeech();
  const { card } = till;
  const kinds = [...new Set(findings.flatMap((finding) => kindOf(finding) ?? []))].filter((kind) =>
    kind === "pin" ? card.state === "ready" : trusted,
  );
  const action = (kind: Kind, filled: string) => {
    if (kind === "audit")
      return <AuditActions findings={findings} auditState={till.auditState} changed={changed} filled={filled} />;
    if (kind === "space") return <FreeSpace changed={changed} filled={filled} />;
    if (kind === "pin")
      return (
        card.state === "ready" && (
          <PinEntry key={card.uid} pinTriesLeft={card.pinTriesLeft} entered={changed} filled={filled} />
        )
      );
    return (
      <a class={`button ${filled}`} href={kind === "settings" ? "#/settings" : "#/audit"}>
        {say(kind === "settings" ? "settings" : "enterKeyPin")}
      </a>
    );
  };
  return kinds.map((kind, i) => <Fragment key={kind}>{action(kind, isMain && i === 0 ? "main" : "")}</Fragment>);
}

const AUDIT_STATES: Partial<Record<TillRecord["auditState"], TextKey>> = {
  runs: "auditRuns",
  "no-connection": "auditNoConnectionNow",
};

/** What the state of an audit adds to a finding that asks for one; undefined if it adds nothing. */
export function auditAdvice(auditState: TillRecord["auditState"], say: Say): string | undefined {
  const key = AUDIT_STATES[auditState];
  return key && say(key);
}

/** Actions for which a shopkeeper needs a technician. */
const CALLS: readonly Action[] = ["call-technician", "configure", "set-clock", "free-space"];

interface TechnicianProps extends Pick<BannerActionsProps, "findings"> {
  readonly technician: string | null;
  /** Whether the service does not answer. */
  readonly gone?: boolean;
}

export function Technician({ findings, technician, gone = false }: TechnicianProps) {
  const { say } = useSpeech();
  if (technician === null || !(gone || findings.some(({ action }) => CALLS.includes(action)))) return null;
  return <p class="technician">{say("callTechnician", { technician })}</p>;
}

interface AuditActionsProps extends Pick<BannerActionsProps, "findings" | "changed"> {
  readonly auditState: TillRecord["auditState"];
  /** Class of the first button. */
  readonly filled: string;
}

function AuditActions({ findings, auditState, changed, filled }: AuditActionsProps) {
  const { say } = useSpeech();
  const { busy, ask, outcome } = useAuditStart(changed);
  // The card starts no audit before it has its PIN, so show no button until then. The field for the PIN is in the same
  // banner.
  const startable = auditState === "possible" && !findings.some(({ key }) => key === "pinNeeded");
  return (
    <div class="actions">
      {/* If the first finding asks for the audit, the sentence has it. */}
      {findings[0]?.action !== "audit" && auditAdvice(auditState, say) && <p>{auditAdvice(auditState, say)}</p>}
      <div class="row">
        {startable && (
          <button type="button" class={filled} disabled={busy} onClick={ask}>
            {say("startAudit")}
          </button>
        )}
        {(auditState === "possible" || auditState === "no-connection") && (
          <a class={`button ${startable ? "" : filled}`} href="#/audit/stick">
            {say("carryToStick")}
          </a>
        )}
      </div>
      {outcome}
    </div>
  );
}
