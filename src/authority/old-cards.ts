/**
 * The sales of cards that were replaced, sent with the token of the card that took their place. A package says which card signed it.
 * Whether a real authority takes it this way is not known. One that refuses is asked again each hour, and the stick remains.
 */
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { LinkTask } from "./link.js";
import type { Packages } from "./packages.js";

export interface OldCardParts {
  readonly audits: Pick<AuditLedger, "cards">;
  readonly packages: Pick<Packages, "sendNext">;
  /** A package was sent. */
  readonly changed: () => void;
}

/** A round's share, after the packages and the audit of the card in the reader. */
export function oldCardTask({ audits, packages, changed }: OldCardParts): LinkTask {
  return async ({ authority, identity, take, ended }) => {
    for (const uid of await audits.cards()) {
      if (uid === identity.uid) continue;
      for (;;) {
        if (ended.aborted) return;
        const sent = await packages.sendNext(uid, authority, identity.taxpayer.tin);
        if (!sent) break;
        changed();
        if (sent.commands.length > 0) await take(sent.commands);
      }
    }
  };
}
