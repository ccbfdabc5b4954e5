/** Writes the alert rules for Prometheus, deploy/monitoring/alerts.yml, from the list of findings. */
import { stringify } from "yaml";
import { METRICS } from "../../src/http/metrics.js";
import { FINDING_KEYS, FINDINGS } from "../../src/state/findings.js";
import type { FindingKey } from "../../src/state/texts/english.js";

const PAGE = 'docs/health.md, "Findings", leads to what {{ $labels.finding }} means';
const finding = (keys: readonly FindingKey[]) => `${METRICS.findings.name}{finding=~"${keys.join("|")}"}`;
const affecting = (part: string) => FINDING_KEYS.filter((key) => FINDINGS[key].affects === part);
const withCode = (...codes: string[]) => FINDING_KEYS.filter((key) => codes.includes(FINDINGS[key].code));

type Severity = "critical" | "warning" | "info";

/** @param lasts how long the condition holds before the alert: a duration of Prometheus */
function rule(alert: string, expr: string, lasts: string, severity: Severity, summary: string) {
  const description = expr.startsWith(METRICS.findings.name) ? PAGE : undefined;
  return {
    alert,
    expr,
    for: lasts,
    labels: { severity },
    annotations: { summary, ...(description && { description }) },
  };
}

const bySeverity = (severity: string) => `${METRICS.findings.name}{severity="${severity}"}`;
const A_DAY = 86_400;

/** One rule for each severity, then the ones that a chain wants to hear of by name. */
const RULES = [
  rule("TillSilent", 'up{job="tills"} == 0', "5m", "critical", "{{ $labels.instance }} gives no answer"),
  rule(
    "TillCannotSell",
    bySeverity("stops"),
    "1m",
    "critical",
    "{{ $labels.instance }} cannot sell: {{ $labels.finding }} ({{ $labels.code }})",
  ),
  rule(
    "TillWaitsForPerson",
    bySeverity("waits"),
    "15m",
    "warning",
    "{{ $labels.instance }} waits for a person: {{ $labels.finding }} ({{ $labels.code }})",
  ),
  rule(
    "TillWarns",
    bySeverity("warns"),
    "1h",
    "info",
    "{{ $labels.instance }} sells, but: {{ $labels.finding }} ({{ $labels.code }})",
  ),
  rule(
    "TillStoreDamaged",
    finding([...withCode("9014"), "storeDamaged"]),
    "0m",
    "critical",
    "{{ $labels.instance }} has a damaged store: run tillseal verify there",
  ),
  rule(
    "TillReceiptsUnsent",
    finding(withCode("9015", "9016")),
    "0m",
    "critical",
    "{{ $labels.instance }} has receipts that the tax authority must get in these days",
  ),
  rule(
    "TillLimitNear",
    `${METRICS.sum.name} / ${METRICS.limit.name} > 0.9`,
    "0m",
    "critical",
    "the card of {{ $labels.instance }} has used {{ $value | humanizePercentage }} of its limit: it needs an audit",
  ),
  rule(
    "TillCertificateEnds",
    `${METRICS.certificate.name} < ${30 * A_DAY}`,
    "0m",
    "critical",
    "the certificate of the card of {{ $labels.instance }} ends in {{ $value | humanizeDuration }}",
  ),
  rule(
    "TillBackupOld",
    `time() - ${METRICS.backup.name} > ${2 * A_DAY}`,
    "2h",
    "critical",
    "{{ $labels.instance }} has had no good backup for two days or more",
  ),
  rule("TillClockOff", finding(affecting("clock")), "10m", "warning", "set the clock of {{ $labels.instance }}"),
];

export const ALERT_RULES = `# Alert rules for Prometheus. \`npm run docs\` writes this file from the list of findings.
${stringify({ groups: [{ name: "tillseal", rules: RULES }] }, { lineWidth: 0 })}`;
