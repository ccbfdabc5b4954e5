/** The ledger of the model. */
import type { AuditWrite, CardFacts, OpenIntent, Write } from "../../src/fiscalizer/protocol/state.js";
import { must } from "./violation.js";

export interface Entry extends Omit<OpenIntent, "id" | "requestId" | "intent"> {
  readonly id: number;
  /** Key of the sale; undefined when it was adopted. */
  readonly key: number | undefined;
  readonly uid: string;
  readonly requestId: string | undefined;
  readonly state: "intent" | "complete" | "lost" | "unproven" | "adopted";
  readonly totalCounter: number | undefined;
  readonly bytes: string | undefined;
}

export type Report = Omit<Extract<Write, { kind: "report" }>, "kind">;

interface CardRecord {
  readonly key: string | undefined;
  readonly lastCounter: number;
  readonly counting: readonly string[];
}

export interface Audit {
  readonly uid: string;
  readonly request: string;
  readonly covers: number;
  /** A proof was sent to the card, and its answer is unknown. */
  readonly proofSent: boolean;
  readonly outcome: "open" | "ended" | "void" | "superseded";
}

export interface Ledger {
  readonly entries: readonly Entry[];
  readonly cards: Readonly<Record<string, CardRecord>>;
  readonly reports: readonly Report[];
  readonly audits: readonly Audit[];
}

/** Ids of adopted entries begin here: those of sales are the keys of their requests. */
const FIRST_ADOPTED_ID = 1_000;

export const EMPTY: Ledger = { entries: [], cards: {}, reports: [], audits: [] };

export function openIn({ entries }: Ledger, uid: string): readonly Entry[] {
  return entries.filter((entry) => entry.uid === uid && entry.state === "intent");
}

/** The newest; the rules allow one for each RequestId. */
export function ofRequest({ entries }: Ledger, requestId: string): Entry | undefined {
  return entries.findLast((entry) => entry.requestId === requestId);
}

/** @param key name of the card in the reader; undefined when it has another UID */
export function cardRead(ledger: Ledger, uid: string, key?: string): CardFacts {
  const { key: knownKey, lastCounter = 0, counting = [] } = ledger.cards[uid] ?? {};
  const last = ledger.entries.findLast((entry) => entry.uid === uid && entry.totalCounter !== undefined && entry.bytes);
  const open = openIn(ledger, uid).map(openOf);
  const bytes = last?.totalCounter === lastCounter ? last.bytes : undefined;
  // The damage does not affect the 57 bytes.
  const [lastBytes, lastUnproven] = last?.state === "unproven" ? [undefined, bytes] : [bytes, undefined];
  return { uid, key, knownKey, lastCounter, lastBytes, lastUnproven, counting, open };
}

export function openOf({ id, requestId, header, kind, amount, before }: Entry): OpenIntent {
  return { id, requestId, intent: undefined, header, kind, amount, before };
}

export function withIntent(ledger: Ledger, intent: Omit<Entry, "id" | "state" | "totalCounter" | "bytes">): Ledger {
  // Ids are never reused, as in the real ledger.
  const id = intent.key ?? FIRST_ADOPTED_ID + ledger.entries.length;
  const entry: Entry = { ...intent, id, state: "intent", totalCounter: undefined, bytes: undefined };
  return { ...ledger, entries: [...ledger.entries, entry] };
}

export function withWrites(ledger: Ledger, writes: readonly Write[]): Ledger {
  return writes.reduce(withWrite, ledger);
}

function withWrite(ledger: Ledger, write: Write): Ledger {
  switch (write.kind) {
    case "complete": {
      const { totalCounter, bytes } = write.signature;
      return settled(ledger, write.id, { state: "complete", totalCounter, bytes });
    }
    case "unproven": {
      const { totalCounter, signature } = write;
      return settled(ledger, write.id, { state: "unproven", totalCounter, bytes: signature.bytes });
    }
    case "lose":
      return settled(ledger, write.id, { state: "lost", totalCounter: write.totalCounter });
    case "abandon":
      mustBeOpen(ledger, write.id);
      return { ...ledger, entries: ledger.entries.filter(({ id }) => id !== write.id) };
    case "adopt": {
      const { totalCounter, bytes, header } = write.signature;
      if (ledger.entries.some((entry) => entry.bytes === bytes)) return ledger;
      const adopted = { key: undefined, uid: write.uid, requestId: undefined, header, before: undefined };
      const next = withIntent(ledger, { ...adopted, kind: "", amount: 0n });
      return settled(next, next.entries.at(-1)?.id ?? 0, { state: "adopted", totalCounter, bytes });
    }
    case "card": {
      const { uid, key = ledger.cards[uid]?.key, lastCounter, counting } = write;
      return { ...ledger, cards: { ...ledger.cards, [uid]: { key, lastCounter, counting } } };
    }
    case "report": {
      const { kind: _, ...report } = write;
      return { ...ledger, reports: [...ledger.reports, report] };
    }
  }
}

function settled(ledger: Ledger, id: number, settlement: Partial<Entry>): Ledger {
  mustBeOpen(ledger, id);
  return { ...ledger, entries: ledger.entries.map((entry) => (entry.id === id ? { ...entry, ...settlement } : entry)) };
}

function mustBeOpen({ entries }: Ledger, id: number): void {
  const open = entries.some((entry) => entry.id === id && entry.state === "intent");
  must(open, "oneThing", `the machine settles entry ${id}, which is not open`);
}

export function openAudit({ audits }: Ledger, uid: string): number | undefined {
  const index = audits.findLastIndex((audit) => audit.uid === uid && audit.outcome === "open");
  return index < 0 ? undefined : index;
}

export function withAuditWrite(ledger: Ledger, write: AuditWrite): Ledger {
  const { audits } = ledger;
  if (write.kind === "started") {
    const { uid, request, covers } = write;
    const others = audits.map((audit) =>
      audit.uid === uid && audit.outcome === "open" ? { ...audit, outcome: "superseded" as const } : audit,
    );
    return { ...ledger, audits: [...others, { uid, request, covers, proofSent: false, outcome: "open" }] };
  }
  const changed = write.kind === "proof-sent" ? { proofSent: write.proofSent } : { outcome: write.outcome };
  return { ...ledger, audits: audits.map((audit, i) => (i === write.id ? { ...audit, ...changed } : audit)) };
}
