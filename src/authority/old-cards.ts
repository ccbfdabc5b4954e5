/**
 * Sends the sales of replaced cards with the token of the card that replaced them. A package says which card signed it.
 * We do not know whether a real authority accepts this. If the authority refuses a package, the service sends it again
 * each hour. A shop can also take the sales to the authority on a stick.
 */
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { LinkTask } from "./link.js";
import { type Packages, sendAll } from "./packages.js";

export interface OldCardParts {
  readonly audits: Pick<AuditLedger, "cards">;
  readonly packages: Pick<Packages, "sendNext" | "repeatNext">;
  /** Called after each package that was sent. */
  readonly changed: () => void;
}

/**
 * Makes the task of a round that sends the old cards' sales. It runs after the packages and the audit of the card in
 * the reader.
 */
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
