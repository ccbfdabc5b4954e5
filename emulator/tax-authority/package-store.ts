/** The packages that the authority has received, one for each invoice, with their verdicts. */

import { createHash } from "node:crypto";
import { type AuditPackage, PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import type { EpochMs } from "../../src/base/epoch-ms.js";
import type { Scaled } from "../../src/fiscal/money.js";
import { type AuthorityFiles, parseRegister, registerJson } from "./authority-files.js";
import type { SaleVerdict } from "./check-sale.js";
import type { SentSale } from "./read-sale.js";

export interface PackageRecord {
  /** UID of the card that signed the sale. */
  readonly uid: string;
  readonly counter: number;
  readonly number: string;
  readonly time: EpochMs;
  readonly receivedAt: number;
  readonly totalAmount: Scaled;
  /** The card's sum in its internal data, this invoice included; undefined if that data cannot be read. */
  readonly sum?: Scaled;
  /** A value of PACKAGE_STATUS. */
  readonly status: number;
  readonly findings: readonly string[];
  /** SHA-256 of the plaintext, hexadecimal: each encryption of the same text gives other bytes. */
  readonly hash: string;
}

/** A range of counters. Both ends are included. */
export interface CounterRange {
  readonly from: number;
  readonly to: number;
}

export class PackageStore {
  private readonly records = new Map<string, Map<number, PackageRecord>>();

  constructor(private readonly files: AuthorityFiles) {
    for (const line of files.readVerdicts()) this.put(parseRegister(line) as PackageRecord);
  }

  of(uid: string): readonly PackageRecord[] {
    return [...(this.records.get(uid)?.values() ?? [])].toSorted((a, b) => a.counter - b.counter);
  }

  get(uid: string, counter: number): PackageRecord | undefined {
    return this.records.get(uid)?.get(counter);
  }

  /**
   * Stores a package with its verdict. If the store has a verified package of the same invoice, it keeps that package.
   * Otherwise the new package replaces the stored one.
   * @returns the record whose status the service gets
   */
  keep(
    auditPackage: AuditPackage,
    text: string,
    sale: SentSale,
    verdict: SaleVerdict,
    receivedAt: number,
  ): PackageRecord {
    const hash = createHash("sha256").update(text).digest("hex");
    const { signedBy: uid, totalCounter: counter, invoiceNumber: number, time, totalAmount } = sale;
    const { status, findings, internal } = verdict;
    const sum = internal === undefined ? {} : { sum: internal.sum };
    const record = { uid, counter, number, time, receivedAt, totalAmount, ...sum, status, findings, hash };
    const before = this.get(uid, counter);
    if (before?.status === PACKAGE_STATUS.verified) return before.hash === hash ? before : contradicted(record, before);
    this.files.writePackage(uid, counter, JSON.stringify(auditPackage));
    this.write(record);
    return record;
  }

  /** Returns a package in the form in which it arrived; undefined if it is not stored. */
  read(uid: string, counter: number): AuditPackage | undefined {
    const text = this.files.readPackage(uid, counter);
    return text === undefined ? undefined : (JSON.parse(text) as AuditPackage);
  }

  judge(record: PackageRecord, { status, findings }: SaleVerdict): void {
    this.write({ ...record, status, findings });
  }

  private write(record: PackageRecord): void {
    this.put(record);
    this.files.appendVerdict(record.uid, registerJson(record).replaceAll(/\n\s*/g, ""));
  }

  private put(record: PackageRecord): void {
    const ofCard = this.records.get(record.uid) ?? new Map<number, PackageRecord>();
    this.records.set(record.uid, ofCard.set(record.counter, record));
  }
}

/** For a sale whose counter belongs to another verified sale: the service gets the status, nothing is kept. */
function contradicted(record: PackageRecord, { number }: PackageRecord): PackageRecord {
  const { signatureValid, verified } = PACKAGE_STATUS;
  const status = record.status === verified ? signatureValid : record.status;
  return { ...record, status, findings: [`another package of ${number} is verified already`, ...record.findings] };
}

/** Returns the ranges of expected counters that are missing. @param from the first expected counter */
export function gapsIn(counters: readonly number[], from: number, explained: readonly CounterRange[]): CounterRange[] {
  const gaps: CounterRange[] = [];
  let next = from;
  const known = [...counters.map((counter) => ({ from: counter, to: counter })), ...explained];
  for (const range of known.toSorted((a, b) => a.from - b.from)) {
    if (range.from > next) gaps.push({ from: next, to: range.from - 1 });
    next = Math.max(next, range.to + 1);
  }
  return gaps;
}
