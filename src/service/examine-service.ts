/**
 * Makes the doctor's lines about the running service, for the console. `tillseal doctor` also makes checks that need
 * no service.
 */
import type { Settings } from "../config/settings.js";
import type { CheckRecord } from "../console/records/doctor.js";
import { type Check, type CheckVerdict, furtherParts, line, ok } from "../doctor/check.js";
import { amountLine, cardLine, certificateLine, clockLine, diskLine, programLine } from "../doctor/lines.js";
import { checkDataFolder } from "../doctor/machine.js";
import { packagesOf } from "../doctor/packages.js";
import { checkStoreInThread } from "../doctor/store-thread.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { Store } from "../ledger/database.js";
import type { Finding } from "../state/finding.js";
import { type ServiceState, type ServiceStateSources, serviceState } from "../state/service-state.js";

interface ExaminedParts {
  readonly sources: ServiceStateSources;
  readonly settings: Settings;
  readonly audits: AuditLedger;
  readonly store: Store;
}

/**
 * The findings of {@link serviceState}, each in the line of the part that it affects, and the doctor's other checks.
 */
export async function examineService(parts: ExaminedParts): Promise<readonly CheckRecord[]> {
  const { sources, settings, audits, store } = parts;
  const { backupFolder, backupHours } = settings;
  const service = await serviceState(sources);
  const { folder } = sources.disk;
  const checks = [
    programLine(),
    ...cardLines(service),
    ...surroundings(service),
    ...(await packagesOf(audits).catch(() => [])),
    await checkDataFolder(folder),
    service.freeBytes === undefined ? ok("disk", "") : diskLine(service.freeBytes, folder),
    ...(store.files.length === 0
      ? [line("store", "ok", "storeInMemory")]
      : await checkStoreInThread({ folder, backups: { backupFolder, backupHours }, now: service.now })),
  ];
  const { findings } = service;
  return [...furtherParts(checks, findings), ...checks].map((check) => recordOf(check, findings));
}

function cardLines({ state, amount, environment, now }: ServiceState): readonly Check[] {
  if (state.kind !== "ready") return [];
  const name = environment?.parameters.environmentName;
  return [
    cardLine(state.identity),
    certificateLine(state.identity, now),
    ...(amount ? [amountLine(amount)] : []),
    name === undefined ? ok("tax rates", "") : line("tax rates", "ok", "rates", { name }),
  ];
}

function surroundings({ contact, clockCheck }: ServiceState): readonly Check[] {
  return [authorityLine(contact), ...(clockCheck ? [clockLine(clockCheck)] : [])];
}

function authorityLine({ contact, problem = "" }: ServiceState["contact"]): Check {
  const subject = "tax authority";
  if (contact === "not-reachable") return line(subject, "warn", "authorityFails", { reason: problem });
  return line(subject, "ok", contact === "reachable" ? "authorityAnswers" : "authorityNotAsked");
}

function recordOf({ subject, verdict, message, line: text }: Check, all: readonly Finding[]): CheckRecord {
  const findings = all.filter(({ affects }) => affects === subject);
  return { subject, verdict: findings.reduce(worse, verdict), line: text ?? null, message, findings };
}

function worse(verdict: CheckVerdict, { severity }: Finding): CheckVerdict {
  return severity === "stops" || verdict === "fail" ? "fail" : "warn";
}
