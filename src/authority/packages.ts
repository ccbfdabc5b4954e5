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

/** What the authority says of a package that it has nothing against. */
const FINE: readonly number[] = [PACKAGE_STATUS.notVerifiedYet, PACKAGE_STATUS.signatureValid, PACKAGE_STATUS.verified];

export class Packages {
  constructor(private readonly parts: PackageParts) {}

  /**
   * Sends the next package. One that is refused (HTTP 4xx) holds up those behind it: nothing counts as sent that the authority
   * does not have, and the error, which people see, names it. One that the authority finds wrong has arrived all the same, and is kept in mind for people: those
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
    const { status, commands } = await submitted(made, entry, authority);
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

/** @throws AuthorityError which names the sale where the authority refuses its package */
async function submitted(
  made: AuditPackage,
  { number }: Entry,
  authority: Pick<TaxAuthority, "submit">,
): Promise<PackageAnswer> {
  try {
    return await authority.submit(made);
  } catch (error) {
    if (!(error instanceof AuthorityError) || error.fault !== "refused") throw error;
    const waits = `the package of ${number} is refused, and those behind it wait`;
    const message = `${waits}: ${error.message}; tillseal audit export takes them to the authority on a stick`;
    throw new AuthorityError(error.fault, message, error.status);
  }
}
