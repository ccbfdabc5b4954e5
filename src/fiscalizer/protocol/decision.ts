/** What is written when a person decides a sale in doubt. */
import type { CardFacts, Write } from "./state.js";

/** @param card as the ledger knows it @param signed what the person says @returns nothing if no such sale is in doubt */
export function writesOfDecision(
  { uid, knownKey, lastCounter, counting, open }: CardFacts,
  id: number,
  signed: boolean,
): readonly Write[] {
  const decided = open.find((candidate) => candidate.id === id);
  if (!decided) return [];
  const { requestId } = decided;
  const report = { write: "report", uid, kind: "decided", requestId } as const;
  if (!signed)
    return [
      { write: "abandon", id },
      { ...report, from: undefined, to: undefined },
    ];
  const totalCounter = lastCounter + 1;
  return [
    { write: "lose", id, totalCounter },
    { write: "card", uid, key: knownKey, lastCounter: totalCounter, counting },
    { ...report, from: totalCounter, to: totalCounter },
  ];
}
