/** Shows buttons that do what the findings ask for, and which technician to call. */
import type { Action, Finding } from "../../state/finding.js";
import type { TillRecord } from "../records/till.js";
import { FreeSpace } from "./free-space.js";
import { type Say, type TextKey, useSpeech } from "./texts.js";
import { useAuditStart } from "./use-audit-start.js";

interface BannerActionsProps {
  readonly findings: readonly Finding[];
  readonly till: Pick<TillRecord, "auditState">;
  readonly changed: () => void;
}

/**
 * Shows the buttons, only to people who may see receipts and settings, because the service refuses these actions to
 * others.
 */
export function BannerActions({ findings, till, changed }: BannerActionsProps) {
  const { say } = useSpeech();
  const asked = new Set(findings.map(({ action }) => action));
  return (
    <>
      {asked.has("audit") && <AuditActions findings={findings} auditState={till.auditState} changed={changed} />}
      {findings.some(({ key, action }) => action === "enter-pin" && key !== "pinNeeded") && (
        <a class="button" href="#/audit">
          {say("enterKeyPin")}
        </a>
      )}
      {asked.has("free-space") && <FreeSpace changed={changed} />}
      {asked.has("configure") && (
        <a class="button" href="#/settings">
          {say("settings")}
        </a>
      )}
    </>
  );
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
}

function AuditActions({ findings, auditState, changed }: AuditActionsProps) {
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
          <button type="button" class="main" disabled={busy} onClick={ask}>
            {say("startAudit")}
          </button>
        )}
        {(auditState === "possible" || auditState === "no-connection") && (
          <a class="button" href="#/audit/stick">
            {say("carryToStick")}
          </a>
        )}
      </div>
      {outcome}
    </div>
  );
}
