/**
 * Reads what the store knows about a till. The result is kept until the store changes, because POSes and open pages ask
 * for the state again and again.
 */
import { oldCardToProve } from "../fiscalizer/old-card.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { Ledger } from "../ledger/ledger.js";
import type { Facts } from "./facts.js";
import { type AuditReading, unsentSales } from "./unsent-sales.js";

type Stored = Pick<Facts, "oldestUnsent" | "wrongPackages" | "missingSales" | "unsent" | "oldCard" | "refusal">;

/** If the store cannot be read, parts are missing, and the fact `storeProblem` has the reason. */
export interface StoreFacts extends Stored {
  /** Number of the last invoice of the card in the reader; empty without one. */
  readonly lastNumber: string;
}

const NO_SALES = { oldestUnsent: undefined, wrongPackages: [], missingSales: [] };

export class StoreFactsReader {
  private kept: { readonly version: number; readonly uid: string | undefined; readonly facts: StoreFacts } | undefined;

  /** @param version another number after each change of the store; undefined while another program may change it */
  constructor(
    private readonly ledger: Pick<Ledger, "last" | "card">,
    private readonly audits: Pick<AuditLedger, "unsent"> & AuditReading,
    private readonly newCard: "sells" | "waits",
    private readonly version: () => number | undefined,
  ) {}

  /** @param uid of the card in the reader */
  async read(uid: string | undefined): Promise<StoreFacts> {
    const { ledger, audits } = this;
    const version = this.version();
    if (version !== undefined && this.kept?.version === version && this.kept.uid === uid) return this.kept.facts;
    let whole = true;
    const orElse = <T>(missing: T) => {
      return () => {
        whole = false;
        return missing;
      };
    };
    const facts: StoreFacts = {
      ...(await unsentSales(audits).catch(orElse(NO_SALES))),
      ...(uid === undefined
        ? { lastNumber: "", refusal: undefined, unsent: undefined, oldCard: undefined }
        : {
            lastNumber: (await ledger.last(uid).catch(orElse(undefined)))?.number ?? "",
            refusal: (await ledger.card(uid).catch(orElse(undefined)))?.refusal,
            unsent: await audits.unsent(uid).catch(orElse(undefined)),
            oldCard: await oldCardToProve(audits, { uid }, this.newCard).catch(orElse(undefined)),
          }),
    };
    // A sale may have been stored between two of these reads.
    if (whole && version !== undefined && version === this.version()) this.kept = { version, uid, facts };
    return facts;
  }
}
