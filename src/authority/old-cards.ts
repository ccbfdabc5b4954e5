/**
 * Sends the sales of replaced cards with the token of the card that replaced them. A package says which card signed it.
 * We do not know whether a real authority accepts this. If it refuses, the service tries again each hour, and the stick
 * remains as a way.
 */
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { LinkTask } from "./link.js";
import { type Packages, sendAll } from "./packages.js";

export interface OldCardParts {
  readonly audits: Pick<AuditLedger, "cards">;
  readonly packages: Pick<Packages, "sendNext" | "repeatNext">;
  /** Called after each package. */
  readonly changed: () => void;
}

/** The task for a round, after the packages and the audit of the card in the reader. */
export function oldCardTask({ audits, packages, changed }: OldCardParts): LinkTask {
  return async ({ authority, identity, take, ended }) => {
    for (const uid of await audits.cards()) {
      if (uid === identity.uid) continue;
      const { tin } = identity.taxpayer;
      await sendAll(() => packages.sendNext(uid, authority, tin), { take, ended, changed });
      await sendAll(() => packages.repeatNext(uid, authority, tin), { take, ended, changed });
    }
  };
}
