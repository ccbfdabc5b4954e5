/** The ledger's writes, in words. */
import type { AuditWrite, Write } from "../../src/fiscalizer/protocol/state.js";
import type { Ledger } from "./ledger.js";

export function wordsOf(writes: readonly Write[], { entries }: Ledger): string {
  const name = (id: number) => entries.find((entry) => entry.id === id)?.requestId ?? `entry ${id}`;
  return writes
    .map((write) => wordsOfOne(write, name))
    .filter((words) => words !== "")
    .join(", ");
}

function wordsOfOne(write: Write, name: (id: number) => string): string {
  switch (write.kind) {
    case "complete":
      return `the answer of ${name(write.id)} is stored`;
    case "unproven":
      return `${name(write.id)} is stored as unproven`;
    case "abandon":
      return `${name(write.id)} is withdrawn`;
    case "lose":
      return `${name(write.id)} is given up as lost`;
    case "adopt":
      return `invoice ${write.signature.totalCounter} is adopted`;
    case "report": {
      const { reportKind: kind, from, to } = write;
      return kind === "behind" || kind === "back" || kind === "swapped"
        ? `"${kind} ${from} to ${to ?? "?"}" is reported`
        : "";
    }
    case "card":
      return "";
  }
}

export function wordsOfAudit(write: AuditWrite): string {
  switch (write.kind) {
    case "started":
      return "the audit is stored";
    case "proof-sent":
      return write.proofSent ? "the ledger knows that a proof is put to the card" : "the ledger forgets the proof";
    case "closed":
      return write.outcome === "ended" ? "the audit is stored as ended" : "the audit is given up";
  }
}
