/** Lists the writes for a person's decision about a sale in doubt. */
import type { CardFacts, OpenIntent, Write } from "./state.js";

/** The ledger's knowledge of the card. */
export interface DecidedCard extends Pick<CardFacts, "uid" | "knownKey" | "counting"> {
  /** The card's last counter. Undefined if the ledger has none yet; a sale that was signed then gets no counter. */
  readonly lastCounter: number | undefined;
}

/** @param signed whether the card has signed the sale, as the person decided */
export function writesOfDecision(
  { uid, knownKey, lastCounter, counting }: DecidedCard,
  { id, requestId }: Pick<OpenIntent, "id" | "requestId">,
  signed: boolean,
): readonly Write[] {
  const totalCounter = signed && lastCounter !== undefined ? lastCounter + 1 : undefined;
  const report: Write = {
    kind: "report",
    uid,
    reportKind: "decided",
    requestId,
    from: totalCounter,
    to: totalCounter,
  };
  if (!signed) return [{ kind: "abandon", id }, report];
  const lose: Write = { kind: "lose", id, totalCounter };
  if (totalCounter === undefined) return [lose, report];
  return [lose, { kind: "card", uid, key: knownKey, lastCounter: totalCounter, counting }, report];
}
