/** Opens and checks packages with the authority's key, its register and its stored packages. */
import type { KeyObject } from "node:crypto";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import type { AuthorityFaults } from "./authority-faults.js";
import { type CheckedAgainst, checkSale, type SaleVerdict } from "./check-sale.js";
import type { OfficeState } from "./office-state.js";
import { openPackage, readPackage } from "./open-package.js";
import type { PackageRecord, PackageStore } from "./package-store.js";
import { readSale, type SentSale } from "./read-sale.js";
import { type Card, holderOf } from "./registered.js";

export class Examiner {
  constructor(
    private readonly privateKey: KeyObject,
    private readonly state: OfficeState,
    private readonly packages: PackageStore,
    private readonly faults: () => AuthorityFaults,
  ) {}

  /** Opens a package and reads its sale. @throws CallError 400 if one of the two is not possible */
  open(sent: unknown) {
    const auditPackage = readPackage(sent);
    const text = openPackage(auditPackage, this.privateKey);
    return { auditPackage, text, sale: readSale(text) };
  }

  judge(sale: SentSale): SaleVerdict {
    const verdict = checkSale(sale, this.knowledgeAbout(sale.signedBy));
    const { packageStatus } = this.faults();
    if (packageStatus === null) return verdict;
    return {
      ...verdict,
      status: packageStatus,
      findings: ["the fault packageStatus sets this status", ...verdict.findings],
    };
  }

  /** Returns the sale in a stored package; undefined if the package is not stored. */
  saleOf({ uid, counter }: PackageRecord): SentSale | undefined {
    const auditPackage = this.packages.read(uid, counter);
    return auditPackage && this.open(auditPackage).sale;
  }

  recordOf(invoiceNumber: string): PackageRecord | undefined {
    const [, uid = "", counter] = /^.{8}-(.{8})-(\d{1,10})$/.exec(invoiceNumber) ?? [];
    return this.packages.get(uid, Number(counter));
  }

  private knowledgeAbout(uid: string): CheckedAgainst {
    const card = this.state.card(uid);
    const { certificate, revokedAt } = card ?? {};
    return {
      privateKey: this.privateKey,
      card: certificate === undefined ? undefined : { ...holderOf(certificate), revokedAt },
      groups: this.state.groups,
      groupsKnownAt: (time) => this.groupsKnownAt(card, time),
      timeOf: (invoiceNumber) => this.recordOf(invoiceNumber)?.time,
    };
  }

  /**
   * Returns the rate groups that a card's service knew at a time (ms). If the service never reported rates from the
   * authority, it has its rates from a file. Then every group counts as known.
   */
  private groupsKnownAt(card: Card | undefined, time: number): readonly TaxRateGroup[] {
    const known = card?.groupsKnownAt ?? {};
    if (Object.keys(known).length === 0) return this.state.groups;
    return this.state.groups.filter(({ groupId }) => (known[groupId] ?? Number.POSITIVE_INFINITY) < time);
  }
}
