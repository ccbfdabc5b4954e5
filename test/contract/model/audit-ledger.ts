/** The audits in memory: the simplest definition of each change. The contract tests compare the real ones with it. */
import {
  type Audit,
  type AuditChange,
  type AuditLedger,
  type AuditProgress,
  type MissingSales,
  type PackageVerdict,
  REPEAT_MS,
  REPEATED_STATUSES,
  refusalsWith,
  type UnverifiedPackage,
} from "../../../src/ledger/audit-ledger.js";
import { type Entry, LedgerError } from "../../../src/ledger/ledger.js";
import type { MemoryLedger } from "./ledger.js";

interface Contents {
  readonly audits: readonly Audit[];
  readonly progress: Readonly<Record<string, AuditProgress>>;
  readonly keys: Readonly<Record<string, Uint8Array>>;
  /** The unverified packages of each card, in the order of their entries. */
  readonly unverified: Readonly<Record<string, readonly UnverifiedPackage[]>>;
}

export const NOTHING: AuditProgress = {
  sentTo: 0,
  provenTo: 0,
  last: null,
  wrong: 0,
  lastWrong: null,
  refused: [],
  onStick: 0,
};

class InMemory implements Pick<AuditLedger, keyof AuditLedger> {
  private contents: Contents = { audits: [], progress: {}, keys: {}, unverified: {} };

  constructor(private readonly ledger: MemoryLedger) {}

  async commit(changes: readonly AuditChange[]): Promise<void> {
    // If a change fails, none of them is kept.
    this.contents = changes.reduce(applied, this.contents);
  }

  async openAudit(uid: string): Promise<Audit | undefined> {
    return this.contents.audits.find((audit) => audit.uid === uid && audit.outcome === null);
  }

  async lastAudit(uid: string): Promise<Audit | undefined> {
    return this.contents.audits.findLast((audit) => audit.uid === uid);
  }

  async progress(uid: string): Promise<AuditProgress> {
    return this.contents.progress[uid] ?? NOTHING;
  }

  async unsent(uid: string): Promise<number> {
    const { provenTo } = await this.progress(uid);
    return this.sales(uid).filter(({ id }) => id > provenTo).length;
  }

  async newest(uid: string): Promise<number> {
    return this.sales(uid).at(-1)?.id ?? 0;
  }

  async nextSale(uid: string, after: number): Promise<Entry | undefined> {
    const [open] = await this.ledger.openIntents(uid);
    return this.sales(uid).find(({ id }) => id > after && id < (open?.id ?? Number.POSITIVE_INFINITY));
  }

  async unverified(uid: string, most: number): Promise<readonly UnverifiedPackage[]> {
    return (this.contents.unverified[uid] ?? []).slice(0, most);
  }

  async nextToRepeat(uid: string, now: number): Promise<UnverifiedPackage | undefined> {
    const isDue = ({ status, tries, at }: UnverifiedPackage) =>
      REPEATED_STATUSES.includes(status ?? -1) &&
      (at > now || at <= now - (tries === 1 ? REPEAT_MS.first : REPEAT_MS.later));
    return (this.contents.unverified[uid] ?? []).filter(isDue).toSorted((a, b) => a.at - b.at)[0];
  }

  async missing(): Promise<readonly MissingSales[]> {
    const isProven = (uid: string, at: number) =>
      this.contents.audits.some((audit) => audit.uid === uid && audit.outcome === "ended" && audit.startedAt >= at);
    return this.ledger.allReports.flatMap(({ uid, kind, from, to, at }) =>
      kind === "behind" && from !== null && to !== null && !isProven(uid, at) ? [{ uid, from, to }] : [],
    );
  }

  async cards(): Promise<readonly string[]> {
    const uids = this.ledger.entries.filter(({ state }) => state === "complete").map(({ uid }) => uid);
    return [...new Set(uids)].toSorted();
  }

  async authorityKey(uid: string): Promise<Uint8Array | undefined> {
    return this.contents.keys[uid];
  }

  private sales(uid: string): readonly Entry[] {
    return this.ledger.entries.filter((entry) => entry.uid === uid && entry.state === "complete");
  }
}

/** Stands for the real one: only the methods count. */
export const MemoryAuditLedger = InMemory as unknown as new (ledger: MemoryLedger) => AuditLedger;

/** @throws LedgerError */
function applied(contents: Contents, change: AuditChange): Contents {
  const { audits, progress, keys } = contents;
  switch (change.kind) {
    case "started": {
      const { startedAt: endedAt, uid } = change.audit;
      const others = audits.map((audit) =>
        audit.uid === uid && audit.outcome === null ? { ...audit, endedAt, outcome: "superseded" as const } : audit,
      );
      const audit = { ...change.audit, requestedAt: null, proofSent: false, endedAt: null, outcome: null };
      return { ...contents, audits: [...others, { ...audit, id: audits.length + 1 }] };
    }
    case "requested":
      return changed(contents, change.id, { requestedAt: change.at });
    case "proof-sent":
      return changed(contents, change.id, { proofSent: change.proofSent });
    case "closed": {
      const { id, at: endedAt, outcome } = change;
      const closed = changed(contents, id, { endedAt, outcome });
      const { uid, covers } = audits[id - 1] as Audit;
      const before = progress[uid] ?? NOTHING;
      const [sentTo, provenTo] = [Math.max(before.sentTo, covers), Math.max(before.provenTo, covers)];
      const refused = before.refused.filter(({ entry }) => entry > covers);
      const left = (contents.unverified[uid] ?? []).filter(({ entry }) => entry > covers);
      return outcome === "ended"
        ? {
            ...closed,
            progress: { ...progress, [uid]: { ...before, sentTo, provenTo, refused } },
            unverified: { ...contents.unverified, [uid]: left },
          }
        : closed;
    }
    case "sent": {
      const { uid, verdict, judged } = change;
      const before = progress[uid] ?? NOTHING;
      const counted = judged === "wrong" ? { wrong: before.wrong + 1, lastWrong: verdict } : {};
      const sentTo = Math.max(before.sentTo, verdict.entry);
      const refused = refusalsWith(before.refused, verdict.entry);
      return {
        ...contents,
        progress: { ...progress, [uid]: { ...before, sentTo, last: verdict, ...counted, refused } },
        unverified: withVerdict(contents, uid, verdict.entry, judged === "verified" ? undefined : verdict),
      };
    }
    case "on-stick": {
      const { uid, entry } = change;
      const before = progress[uid] ?? NOTHING;
      const onStick = Math.max(before.onStick, entry);
      return { ...contents, progress: { ...progress, [uid]: { ...before, onStick } } };
    }
    case "refused": {
      const { uid, refusal } = change;
      const before = progress[uid] ?? NOTHING;
      const sentTo = Math.max(before.sentTo, refusal.entry);
      const refused = refusalsWith(before.refused, refusal.entry, refusal);
      return {
        ...contents,
        progress: { ...progress, [uid]: { ...before, sentTo, refused } },
        unverified: withVerdict(contents, uid, refusal.entry, undefined),
      };
    }
    case "key":
      return { ...contents, keys: { ...keys, [change.uid]: change.key } };
  }
}

/** @param verdict replaces the entry's; undefined removes it */
function withVerdict({ unverified }: Contents, uid: string, entry: number, verdict: PackageVerdict | undefined) {
  const before = unverified[uid] ?? [];
  const others = before.filter((one) => one.entry !== entry);
  if (!verdict) return { ...unverified, [uid]: others };
  const tries = (before.find((one) => one.entry === entry)?.tries ?? 0) + 1;
  return { ...unverified, [uid]: [...others, { ...verdict, tries }].toSorted((a, b) => a.entry - b.entry) };
}

function changed(contents: Contents, id: number, to: Partial<Audit>): Contents {
  if (contents.audits[id - 1]?.outcome !== null) throw new LedgerError("damaged", `there is no open audit ${id}`);
  return { ...contents, audits: contents.audits.map((audit) => (audit.id === id ? { ...audit, ...to } : audit)) };
}
