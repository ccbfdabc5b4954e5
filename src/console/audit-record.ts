/** The state of each card's audits, as a record for the console. */
import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { Audit, AuditLedger, PackageVerdict } from "../ledger/audit-ledger.js";
import type { AuthorityLedger, StoredCommand } from "../ledger/authority-ledger.js";
import type {
  AuditCardRecord,
  AuditsRecord,
  FailedCommandRecord,
  OpenAuditRecord,
  VerdictRecord,
} from "./records/audits.js";

type FailedCommands = Pick<AuthorityLedger, "failedCommands">;

export interface AuditCircumstances {
  /** UID of the card in the reader. */
  readonly inReader: string | undefined;
  readonly unsentLimit: number;
  readonly configured: boolean;
  readonly address: string | undefined;
}

/** @throws LedgerError */
export async function auditsRecord(
  audits: AuditLedger,
  authority: FailedCommands,
  { inReader, unsentLimit, configured, address }: AuditCircumstances,
): Promise<AuditsRecord> {
  const uids = new Set([...(inReader === undefined ? [] : [inReader]), ...(await audits.cards())]);
  const missing = await audits.missing();
  const cards: AuditCardRecord[] = [];
  for (const uid of uids) {
    const failed = (await authority.failedCommands(uid)).map(failedRecord);
    const lacks = missing.filter((sales) => sales.uid === uid).map(({ from, to }) => ({ from, to }));
    cards.push({ ...(await cardRecord(audits, uid, uid === inReader)), failed, missing: lacks });
  }
  return { configured, address: address || null, unsentLimit, cards };
}

async function cardRecord(
  audits: AuditLedger,
  uid: string,
  inReader: boolean,
): Promise<Omit<AuditCardRecord, "failed" | "missing">> {
  const [open, auditDamaged, last, progress, unsent, newest, isUnmade] = await Promise.all([
    audits.openAudit(uid),
    audits.isAuditDamaged(uid),
    audits.lastAudit(uid),
    audits.progress(uid),
    audits.unsent(uid),
    audits.newest(uid),
    audits.isPackageMissing(uid),
  ]);
  const { sentTo, refused } = progress;
  const ended = last?.endedAt ?? null;
  return {
    uid,
    inReader,
    unsent,
    packages: newest > sentTo || refused.length > 0 ? "someToSend" : isUnmade ? "someDamaged" : "allSent",
    audit: open ? openRecord(open, Math.min(newest, open.covers) > sentTo) : null,
    auditDamaged,
    lastAudit: last?.outcome && ended !== null ? { endedAt: toIso(ended), outcome: last.outcome } : null,
    lastPackage: verdictRecord(progress.last),
    wrong: progress.wrong,
    lastWrong: verdictRecord(progress.lastWrong),
    refused: refused.map(({ number, reason, at }) => ({ number, reason, at: toIso(at) })),
  };
}

function failedRecord({ commandId, type, reason, executedAt }: StoredCommand): FailedCommandRecord {
  return { commandId, type, reason: reason ?? "", at: toIso(executedAt ?? 0) };
}

function openRecord({ startedAt, sum, limit, requestedAt, proofSent }: Audit, sends: boolean): OpenAuditRecord {
  const waitsFor = proofSent ? "card" : sends ? "packages" : requestedAt === null ? "request" : "proof";
  return {
    startedAt: toIso(startedAt),
    sum: toDecimalText(sum),
    limit: toDecimalText(limit),
    waitsFor,
    requestedAt: requestedAt === null ? null : toIso(requestedAt),
  };
}

function verdictRecord(verdict: PackageVerdict | null): VerdictRecord | null {
  return verdict && { number: verdict.number, status: verdict.status, at: toIso(verdict.at) };
}
