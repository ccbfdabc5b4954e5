/** Sends a card's sales to the tax authority, one after the other in the order of signing (protocol facts, section 8). */
import type { Logger } from "pino";
import type { Clock } from "../clock.js";
import type { AuditLedger, Verdict } from "../ledger/audit-ledger.js";
import type { Entry } from "../ledger/ledger.js";
import type { Random } from "../random.js";
import { auditPackage, auditPayload, isAuditable } from "./audit-package.js";
import type { AuthorityKeys } from "./authority-key.js";
import { type AuditPackage, type AuthorityCommand, PACKAGE_STATUS, type TaxAuthority } from "./tax-authority.js";

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

/** What the authority says of a package that it has nothing against. */
const FINE: readonly number[] = [PACKAGE_STATUS.notVerifiedYet, PACKAGE_STATUS.signatureValid, PACKAGE_STATUS.verified];

export class Packages {
  constructor(private readonly parts: PackageParts) {}

  /**
   * Sends the next package. One that the authority finds wrong has arrived all the same, and is kept in mind for people: those
   * behind it do not wait for it.
   * @returns undefined where there is nothing to send, or the card has not named the authority's key yet
   * @throws AuthorityError, LedgerError: the same package is sent again then
   */
  async sendNext(uid: string, authority: Pick<TaxAuthority, "submit">): Promise<SentPackage | undefined> {
    const { audits } = this.parts;
    const { sentTo } = await audits.progress(uid);
    const entry = await audits.nextSale(uid, sentTo);
    if (!entry) return undefined;
    const made = await this.packageOf(entry);
    if (made === "no-key") return undefined;
    if (made === "damaged") {
      await this.note(entry, null);
      return { commands: [] };
    }
    const { status, commands } = await authority.submit(made);
    await this.note(entry, status);
    return { commands };
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
