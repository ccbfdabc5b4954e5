/** Makes the doctor's lines about a service. `tillseal doctor` also makes checks that need no service. */
import type { CheckRecord } from "../console/records/doctor.js";
import { type Check, type CheckVerdict, furtherParts, line, ok } from "../doctor/check.js";
import { amountLine, cardLine, certificateLine, clockLine, diskLine, programLine } from "../doctor/lines.js";
import { checkDataFolder } from "../doctor/machine.js";
import { packagesOf } from "../doctor/packages.js";
import { toIso } from "../fiscal/time.js";
import type { Finding } from "../state/finding.js";
import { type ServiceState, type ServiceStateSources, serviceState } from "../state/service-state.js";

/**
 * The findings of {@link serviceState}, each in the line of the part that it affects, and the doctor's other checks.
 * @param storeLines makes the lines about the store and its backups
 */
export async function examineService(
  sources: ServiceStateSources,
  storeLines: (now: number) => Promise<readonly Check[]>,
): Promise<readonly CheckRecord[]> {
  const service = await serviceState(sources);
  const { folder } = sources.disk;
  const checks = [
    programLine(),
    ...cardLines(service),
    ratesLine(service),
    ...surroundings(service),
    ...(await packagesOf(sources.audits).catch(() => [])),
    await checkDataFolder(folder),
    service.freeBytes === undefined ? ok("disk", "") : diskLine(service.freeBytes, folder),
    ...(await storeLines(service.now)),
  ];
  const { findings } = service;
  return [...furtherParts(checks, findings), ...checks].map((check) => recordOf(check, findings));
}

function cardLines({ state, amount, now }: ServiceState): readonly Check[] {
  if (state.kind !== "ready") return [];
  return [cardLine(state.identity), certificateLine(state.identity, now), ...(amount ? [amountLine(amount)] : [])];
}

function ratesLine({ environment, environmentSource: source }: ServiceState): Check {
  const name = environment?.parameters.environmentName ?? "";
  if (source.kind === "file") return line("tax rates", "ok", "ratesOfFile", { name, file: source.name });
  if (source.kind === "nothing") return ok("tax rates", "");
  return line("tax rates", "ok", "ratesSent", { name, time: toIso(source.since) });
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
