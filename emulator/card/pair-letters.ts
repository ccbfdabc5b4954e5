/** Letters of the ten pairs, in the card's order: invoice type times two, plus transaction type. */
export const PAIR_LETTERS = ["NS", "NR", "PS", "PR", "CS", "CR", "TS", "TR", "AS", "AR"] as const;
export type PairLetters = (typeof PAIR_LETTERS)[number];
