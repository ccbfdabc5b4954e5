/** Letters of the ten pairs of types, for the console too. The index is the invoice type times two, plus the transaction type. */
export const PAIR_LETTERS = ["NS", "NR", "PS", "PR", "CS", "CR", "TS", "TR", "AS", "AR"] as const;
export type PairLetters = (typeof PAIR_LETTERS)[number];
