/** The doctor's lines about the running service, for the console. `tillseal doctor` also looks at what needs no service. */
import { versionText } from "../base/build.js";
import type { Settings } from "../config/settings.js";
import type { CheckRecord } from "../console/records/doctor.js";
import { checkBackups } from "../doctor/backups.js";
import { type Check, type CheckVerdict, ok, warn } from "../doctor/check.js";
import { checkDataFolder } from "../doctor/machine.js";
import { packagesOf } from "../doctor/packages.js";
import { checkStore } from "../doctor/store.js";
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { Finding } from "../state/finding.js";
import { mebibytes } from "../state/rules.js";
import { type ServiceState, type ServiceStateSources, serviceState } from "../state/service-state.js";

interface ExaminedParts {
  readonly sources: ServiceStateSources;
  readonly settings: Settings;
  readonly audits: AuditLedger;
}

/** The findings of {@link serviceState}, each in the line of what it affects, and what else the doctor checks. */
export async function examineService({ sources, settings, audits }: ExaminedParts): Promise<readonly CheckRecord[]> {
  const service = await serviceState(sources);
  const { folder } = sources.disk;
  const checks = [
    ok("program", `tillseal ${versionText()} on Node ${process.versions.node}`),
    ...cardLines(service),
    ...surroundings(service),
    ...(await packagesOf(audits).catch(() => [])),
    await checkDataFolder(folder),
    ok("disk", service.freeBytes === undefined ? "" : `${mebibytes(service.freeBytes)} MiB free for ${folder}`),
    ...storeLines(folder),
    // Temporary data needs no backup.
    ...(settings.dataDir === undefined ? [] : checkBackups(settings, folder, service.now)),
  ];
  return withLines(checks, service.findings).map((check) => recordOf(check, service.findings));
}

/** The findings say what the store reports and which sales are in doubt. */
function storeLines(folder: string): readonly Check[] {
  return checkStore(folder).checks.filter(({ subject }) => subject === "store");
}

function cardLines({ state, amount, environment }: ServiceState): readonly Check[] {
  if (state.card !== "ready") return [];
  const { uid, taxpayer, appletVersion, validFrom, validTo } = state.identity;
  const dates = `valid ${toIso(validFrom).slice(0, 10)} to ${toIso(validTo).slice(0, 10)}`;
  return [
    ok("card", `${uid} of ${taxpayer.businessName}, TIN ${taxpayer.tin}, applet ${appletVersion}`),
    ok("certificate", dates),
    ...(amount
      ? [ok("limit", `${toDecimalText(amount.sum)} of ${toDecimalText(amount.limit)} signed since the last audit`)]
      : []),
    ok("tax rates", environment === undefined ? "" : environment.parameters.environmentName),
  ];
}

function surroundings({ contact, clockCheck }: ServiceState): readonly Check[] {
  const clock = clockCheck && {
    problem: clockCheck.problem,
    seconds: Math.round(Math.abs(clockCheck.ahead ?? 0) / 1000),
  };
  return [
    contact.contact === "not-reachable"
      ? warn("tax authority", contact.problem ?? "it does not answer")
      : ok("tax authority", contact.contact === "reachable" ? "it answers" : "it was not asked"),
    ...(clock === undefined
      ? []
      : [
          clock.problem === undefined
            ? ok("clock", `it differs by ${clock.seconds} s from ${clockCheck?.server ?? ""}`)
            : warn("clock", `${clockCheck?.server ?? ""} cannot be reached: ${clock.problem}`),
        ]),
  ];
}

/** A part without a line gets one. */
function withLines(checks: readonly Check[], findings: readonly Finding[]): readonly Check[] {
  const lines = new Set(checks.map(({ subject }) => subject));
  const parts = [...new Set(findings.map(({ affects }) => affects))].filter((part) => !lines.has(part));
  return [...parts.map((part) => ok(part, "")), ...checks];
}

function recordOf({ subject, verdict, message }: Check, all: readonly Finding[]): CheckRecord {
  const findings = all.filter(({ affects }) => affects === subject);
  return { subject, verdict: findings.reduce(worse, verdict), message, findings };
}

function worse(verdict: CheckVerdict, { severity }: Finding): CheckVerdict {
  return severity === "stops" || verdict === "fail" ? "fail" : "warn";
}
