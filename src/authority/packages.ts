/** Sends a card's sales to the tax authority, in the order of signing (protocol facts, section 8). */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Random } from "../base/random.js";
import type { Background } from "../base/repeater.js";
import { type AuditLedger, type PackageVerdict, REPEATED_STATUSES } from "../ledger/audit-ledger.js";
import type { Entry } from "../ledger/ledger.js";
import { answerIn } from "../ledger/receipt-content.js";
import { auditPackage, auditPayload, isAuditable } from "./audit-package.js";
import type { AuthorityKeys } from "./authority-key.js";
import {
  type AuditPackage,
  type AuthorityCommand,
  AuthorityError,
  PACKAGE_STATUS,
  type PackageAnswer,
  type TaxAuthority,
} from "./tax-authority.js";

export interface PackageParts extends Pick<Background, "clock" | "log"> {
  readonly audits: AuditLedger;
  readonly keys: Pick<AuthorityKeys, "of">;
  readonly random: Random;
}

type Receiver = Pick<TaxAuthority, "submit">;

/** HTTP statuses that are about one package, and not about the token, the certificate or a failure of the authority. */
const OF_PACKAGE: readonly number[] = [400, 409, 413, 415, 422];
/** Statuses with which an authority may refuse a card's packages because the token belongs to another card. */
const OF_OTHER_CARD: readonly number[] = [...OF_PACKAGE, 403, 404];
const HOUR_MS = 3_600_000;
/** Maximum number of refused packages of a card. An authority that refuses more is assumed to refuse every package. */
const MOST_REFUSED = 10;

/** Maximum number of packages that are repeated in an hour, for an authority that can verify no package. */
const MOST_REPEATED = 100;

export class Packages {
  /** Ids of the entries that a person has asked to send again. */
  private readonly wanted = new Set<number>();
  /** Times at which packages were repeated in the last hour. */
  private repeated: readonly EpochMs[] = [];

  constructor(private readonly parts: PackageParts) {}

  /** Makes the next round send the refused packages of a card again. @throws LedgerError */
  async sendRefusedAgain(uid: string): Promise<void> {
    for (const { entry } of (await this.parts.audits.progress(uid)).refused) this.wanted.add(entry);
  }

  /**
   * Sends the next package. A refused package is recorded for people and sent again each hour. The packages after it do
   * not wait, unless the authority refuses every package. A package that the authority finds wrong counts as sent.
   * @param tin the taxpayer of another card, if that card's token is used. Then only sales of this taxpayer are sent,
   *   and after a refused package the next ones wait for an hour
   * @returns the commands in the answer; undefined if there is nothing to send now, or the authority's key is not known yet
   * @throws AuthorityError, LedgerError; the next call then sends the same package again
   */
  async sendNext(uid: string, authority: Receiver, tin?: string): Promise<readonly AuthorityCommand[] | undefined> {
    const entry = await this.next(uid, tin !== undefined);
    if (!entry || (tin !== undefined && answerIn(entry)?.tin !== tin)) return undefined;
    return this.send(entry, authority, tin);
  }

  private async send(entry: Entry, authority: Receiver, tin: string | undefined) {
    const made = await this.packageOf(entry);
    if (made === "no-key") return undefined;
    if (made === "damaged") {
      await this.note(entry, null);
      return [];
    }
    this.wanted.delete(entry.id);
    const answer = await this.submitted(made, entry, authority, tin === undefined ? OF_PACKAGE : OF_OTHER_CARD);
    if (answer === "refused") return [];
    await this.note(entry, answer.status);
    return answer.commands;
  }

  /**
   * Sends a package again that the authority could not verify yet (status 0 or 1), if one is due. New packages and the
   * audit do not wait for it. `tin`, the result and the errors are those of {@link sendNext}.
   */
  async repeatNext(uid: string, authority: Receiver, tin?: string): Promise<readonly AuthorityCommand[] | undefined> {
    const { audits, clock } = this.parts;
    const now = clock.now();
    this.repeated = this.repeated.filter((at) => at <= now && at > now - HOUR_MS);
    if (this.repeated.length >= MOST_REPEATED) return undefined;
    const due = await audits.nextToRepeat(uid, now);
    const entry = due && (await audits.nextSale(uid, due.entry - 1));
    if (!entry || entry.id !== due.entry || (tin !== undefined && answerIn(entry)?.tin !== tin)) return undefined;
    this.repeated = [...this.repeated, now];
    return this.send(entry, authority, tin);
  }

  /** Returns the next entry to send. A refused entry comes first when its hour is over. */
  private async next(uid: string, waitsForRefused: boolean): Promise<Entry | undefined> {
    const { audits, clock } = this.parts;
    const { sentTo, refused } = await audits.progress(uid);
    for (const { entry, at } of refused) {
      const age = clock.now() - at;
      // A negative age means that the clock was set back: send the package again.
      if (age >= 0 && age < HOUR_MS && !this.wanted.has(entry)) {
        if (waitsForRefused) return undefined;
        continue;
      }
      const sale = await audits.nextSale(uid, entry - 1);
      if (sale?.id === entry) return sale;
    }
    return audits.nextSale(uid, sentTo);
  }

  /**
   * Sends a package and records a refusal.
   * @returns "refused" if the authority refuses only this package; the refusal is then recorded
   * @throws AuthorityError, which names the sale if other packages wait for it; LedgerError
   */
  private async submitted(
    made: AuditPackage,
    { id, uid, number }: Entry,
    authority: Receiver,
    ofPackage: readonly number[],
  ): Promise<PackageAnswer | "refused"> {
    const { audits, clock, log } = this.parts;
    try {
      return await authority.submit(made);
    } catch (error) {
      if (!(error instanceof AuthorityError) || error.fault !== "refused") throw error;
      const { refused } = await audits.progress(uid);
      const isKnown = refused.some(({ entry }) => entry === id);
      if (!ofPackage.includes(error.status ?? 0) || (!isKnown && refused.length >= MOST_REFUSED)) {
        const waits = `the package of ${number} was refused, and later packages wait`;
        const message = `${waits}: ${error.message}; take them to the authority on a stick with tillseal audit export`;
        throw new AuthorityError(error.fault, message, error.status);
      }
      const refusal = { entry: id, number: number ?? "", reason: error.message, at: clock.now() };
      await audits.commit([{ kind: "refused", uid, refusal }]);
      log.error({ err: error, uid, number }, "the tax authority refused an audit package; it is sent again in an hour");
      return "refused";
    }
  }

  /**
   * Makes the package of a sale.
   * @returns `no-key` if the authority's key is not known yet; `damaged` if the stored sale differs from what was
   *   written, or no package can be made of it
   * @throws LedgerError
   */
  async packageOf(entry: Entry): Promise<AuditPackage | "no-key" | "damaged"> {
    const key = await this.parts.keys.of(entry.uid);
    if (!key) return "no-key";
    if (!entry.intact || !isAuditable(entry)) return "damaged";
    return auditPackage(auditPayload(entry), key, this.parts.random);
  }

  private async note({ id, uid, number }: Entry, status: number | null): Promise<void> {
    const { audits, clock, log } = this.parts;
    const verdict: PackageVerdict = { entry: id, number: number ?? "", status, at: clock.now() };
    const judged = judgedBy(status);
    await audits.commit([{ kind: "sent", uid, verdict, judged }]);
    if (status === null) log.error({ uid, number }, "a stored sale is damaged and was not sent: run tillseal verify");
    else if (judged === "wrong") log.error({ uid, number, status }, "the tax authority found an audit package wrong");
    else if (judged === "repeat")
      log.info({ uid, number, status }, "an audit package is not verified yet and is sent again");
  }
}

/** A package with an unknown status is not sent again. @param status null if no package could be made */
function judgedBy(status: number | null): "verified" | "repeat" | "wrong" {
  if (status === PACKAGE_STATUS.verified) return "verified";
  return status !== null && REPEATED_STATUSES.includes(status) ? "repeat" : "wrong";
}
