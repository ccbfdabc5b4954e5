/** Sends a card's sales to the tax authority, one after the other in the order of signing (protocol facts, section 8). */
import type { Logger } from "pino";
import type { Clock } from "../clock.js";
import type { AuditLedger, Verdict } from "../ledger/audit-ledger.js";
import type { Entry } from "../ledger/ledger.js";
import type { Random } from "../random.js";
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

export interface PackageParts {
  readonly audits: AuditLedger;
  readonly keys: Pick<AuthorityKeys, "of">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface SentPackage {
  /** What the authority's answer has brought. */
  readonly commands: readonly AuthorityCommand[];
}

/** HTTP statuses that are about one package, and not about the token, the certificate or the authority's own trouble. */
const OF_PACKAGE: readonly number[] = [400, 409, 413, 415, 422];
/** Those by which an authority may say that it takes no packages of a card by the token of another one. */
const OF_OTHER_CARD: readonly number[] = [...OF_PACKAGE, 403, 404];
/** ms after which a refused package is sent again. */
const AGAIN_MS = 3_600_000;
/** Packages of a card that are refused at the same time: with more of them the authority refuses everything. */
const MOST_REFUSED = 10;

/** What the authority says of a package that it has nothing against. */
const FINE: readonly number[] = [PACKAGE_STATUS.notVerifiedYet, PACKAGE_STATUS.signatureValid, PACKAGE_STATUS.verified];

export class Packages {
  /** Entries that a person wants to have sent again. */
  private readonly wanted = new Set<number>();

  constructor(private readonly parts: PackageParts) {}

  /** The refused packages of a card are sent again in the next round. @throws LedgerError */
  async sendRefusedAgain(uid: string): Promise<void> {
    for (const { entry } of (await this.parts.audits.progress(uid)).refused) this.wanted.add(entry);
  }

  /**
   * Sends the next package. One that is refused is kept in mind for people and sent again each hour. Those behind it do not wait
   * for it, unless the authority refuses everything. One that the authority finds wrong has arrived all the same.
   * @param tin of the taxpayer whose token is used, where that is the token of another card: only this taxpayer's sales are sent
   * then, and what is refused holds up those behind it for an hour
   * @returns undefined where there is nothing to send now, or the card has not named the authority's key yet
   * @throws AuthorityError, LedgerError: the same package is sent again then
   */
  async sendNext(uid: string, authority: Pick<TaxAuthority, "submit">, tin?: string): Promise<SentPackage | undefined> {
    const entry = await this.next(uid, tin !== undefined);
    if (!entry || (tin !== undefined && tinOf(entry) !== tin)) return undefined;
    const made = await this.packageOf(entry);
    if (made === "no-key") return undefined;
    if (made === "damaged") {
      await this.note(entry, null);
      return { commands: [] };
    }
    this.wanted.delete(entry.id);
    const answer = await this.submitted(made, entry, authority, tin === undefined ? OF_PACKAGE : OF_OTHER_CARD);
    if (answer === "refused") return { commands: [] };
    await this.note(entry, answer.status);
    return { commands: answer.commands };
  }

  /** What was refused comes first, when it is its time. */
  private async next(uid: string, waitsForRefused: boolean): Promise<Entry | undefined> {
    const { audits, clock } = this.parts;
    const { sentTo, refused } = await audits.progress(uid);
    for (const { entry, at } of refused) {
      const age = clock.now() - at;
      // Of a clock that was set back, the time says nothing.
      if (age >= 0 && age < AGAIN_MS && !this.wanted.has(entry)) {
        if (waitsForRefused) return undefined;
        continue;
      }
      const found = await audits.nextSale(uid, entry - 1);
      if (found?.id === entry) return found;
    }
    return audits.nextSale(uid, sentTo);
  }

  /** @throws AuthorityError which names the sale where the authority refuses its package */
  private async submitted(
    made: AuditPackage,
    { id, uid, number }: Entry,
    authority: Pick<TaxAuthority, "submit">,
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
        const waits = `the package of ${number} is refused, and those behind it wait`;
        const message = `${waits}: ${error.message}; tillseal audit export takes them to the authority on a stick`;
        throw new AuthorityError(error.fault, message, error.status);
      }
      const refusal = { entry: id, number: number ?? "", reason: error.message, at: clock.now() };
      await audits.commit([{ change: "refused", uid, refusal }]);
      log.error({ err: error, uid, number }, "the tax authority refused an audit package; it is sent again in an hour");
      return "refused";
    }
  }

  /** @returns `damaged` where the stored sale is not what was written @throws LedgerError */
  async packageOf(entry: Entry): Promise<AuditPackage | "no-key" | "damaged"> {
    const key = await this.parts.keys.of(entry.uid);
    if (!key) return "no-key";
    if (!entry.intact || !isAuditable(entry)) return "damaged";
    return auditPackage(auditPayload(entry), key, this.parts.random);
  }

  private async note({ id, uid, number }: Entry, status: number | null): Promise<void> {
    const { audits, clock, log } = this.parts;
    const verdict: Verdict = { entry: id, number: number ?? "", status, at: clock.now() };
    const wrong = status === null || !FINE.includes(status);
    await audits.commit([{ change: "sent", uid, verdict, wrong }]);
    if (status === null) log.error({ uid, number }, "a stored sale is damaged and was not sent: run tillseal verify");
    else if (wrong) log.error({ uid, number, status }, "the tax authority found an audit package wrong");
  }
}

/** Of the taxpayer who sold it; undefined of a damaged sale. */
function tinOf({ answer }: Entry): unknown {
  try {
    return (JSON.parse(answer ?? "{}") as { readonly tin?: unknown }).tin;
  } catch {
    return undefined;
  }
}
