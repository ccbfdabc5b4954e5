/** Makes the doctor's lines about a service. `tillseal doctor` also makes checks that need no service. */
import type { AuthorityContact } from "../authority/contact.js";
import { versionText } from "../base/build.js";
import { minuteText } from "../base/terminal-text.js";
import { sourcesOf } from "../config/environment-in-force.js";
import type { CheckRecord } from "../console/records/doctor.js";
import { type Check, furtherParts, line, ok, worseBy } from "../doctor/check.js";
import { checkDataFolder } from "../doctor/machine.js";
import { packagesOf } from "../doctor/packages.js";
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { SentSource } from "../ledger/sent.js";
import type { Finding } from "../state/finding.js";
import { certificateState, mebibytes } from "../state/rules.js";
import { type ServiceState, type ServiceStateSources, serviceState } from "../state/service-state.js";

/**
 * The findings of {@link serviceState}, each in the line of the part that it affects, and the doctor's other checks.
 * @param storeLines makes the lines about the store and its backups
 */
export async function examineService(
  sources: ServiceStateSources,
  storeLines: (now: number) => Promise<readonly Check[]>,
): Promise<readonly CheckRecord[]> {
  await sources.measureClock();
  const service = await serviceState(sources);
  const { findings, freeBytes: free } = service;
  const { folder } = sources.disk;
  const checks = [
    line("program", "ok", "program", { version: versionText(), node: process.versions.node }),
    ...cardLines(service),
    ...ratesLines(service),
    authorityLine(service),
    ...clockLines(service),
    ...(await packagesOf(sources.audits).catch(() => [])),
    await checkDataFolder(folder),
    free === undefined ? ok("disk", "") : line("disk", "ok", "freeSpace", { megabytes: mebibytes(free), folder }),
    ...(await storeLines(service.now)),
  ];
  return [...furtherParts(checks, findings), ...checks].map((check) => recordOf(check, findings));
}

function cardLines({ state, amount, now }: ServiceState): readonly Check[] {
  if (state.kind !== "ready") return [];
  const { uid, taxpayer, appletVersion: applet, validFrom, validTo } = state.identity;
  const [from, to] = [validFrom, validTo].map((time) => toIso(time).slice(0, 10)) as [string, string];
  const isEarly = certificateState(state.identity, now).state === "not-yet";
  return [
    line("card", "ok", "card", { uid, shop: taxpayer.businessName, tin: taxpayer.tin, applet }),
    line("certificate", "ok", isEarly ? "notYetValid" : "valid", { from, to, now: toIso(now) }),
    ...(amount
      ? [line("limit", "ok", "amounts", { sum: toDecimalText(amount.sum), limit: toDecimalText(amount.limit) })]
      : []),
  ];
}

function ratesLines({ environment, environmentSource: source, now }: ServiceState): readonly Check[] {
  const name = environment?.parameters.environmentName ?? "";
  if (source.kind === "file") return [line("tax rates", "ok", "ratesOfFile", { name, file: source.name })];
  if (source.kind === "nothing") return [ok("tax rates", "")];
  return sourcesOf(source.values, now).map(({ source: from, values, since }) => {
    return line("tax rates", "ok", RATES_FROM[from], { name, values, time: since });
  });
}

const RATES_FROM = {
  authority: "ratesSent",
  file: "ratesImported",
  backup: "ratesRestored",
} as const satisfies Record<SentSource, string>;

function authorityLine({ contact: { contact, problem = "", at } }: ServiceState): Check {
  const time = at === undefined ? "" : minuteText(toIso(at));
  const verdict = contact === "not-reachable" ? "warn" : "ok";
  return line("tax authority", verdict, AUTHORITY_LINES[contact], { time, reason: problem });
}

const AUTHORITY_LINES = {
  "not-asked": "authorityNotAsked",
  reachable: "authorityAnswers",
  "not-reachable": "authorityFails",
} as const satisfies Record<AuthorityContact, string>;

function clockLines({ clockCheck }: ServiceState): readonly Check[] {
  if (!clockCheck) return [];
  const { server, ahead = 0, off, problem, at } = clockCheck;
  const time = minuteText(toIso(at));
  if (problem !== undefined) return [line("clock", "warn", "clockUnknown", { server, time, reason: problem })];
  const seconds = Math.round(Math.abs(ahead) / 1000);
  return [line("clock", "ok", off ? "clockDiffers" : "clockAgrees", { seconds, server, time })];
}

function recordOf({ subject, verdict, message, line: text }: Check, all: readonly Finding[]): CheckRecord {
  const findings = all.filter(({ affects }) => affects === subject);
  return { subject, verdict: findings.reduce(worseBy, verdict), line: text ?? null, message, findings };
}
