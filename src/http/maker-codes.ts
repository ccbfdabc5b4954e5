import type { Standing } from "../fiscalizer/standing.js";

/** The maker's own codes in `mssc` of status (specification, "Status record"); 1999 in `gsc` points to them. */
export const MAKER_CODES = {
  signatureLost: { code: "9001", meaning: "the card has counted an invoice whose signature was lost" },
  testCard: { code: "9002", meaning: "a shop runs with a test card: its receipts are not valid" },
  storeRefuses: { code: "9008", meaning: "the store refuses writes, such as on a full disk: nothing can be sold" },
} as const;

/** Those that hold now. */
export function makerCodes({ lost, testCard, storeProblem }: Pick<Standing, "lost" | "testCard" | "storeProblem">) {
  const { signatureLost, testCard: isTest, storeRefuses } = MAKER_CODES;
  const holding = [
    ...(lost > 0 ? [signatureLost] : []),
    ...(testCard ? [isTest] : []),
    ...(storeProblem ? [storeRefuses] : []),
  ];
  return holding.map(({ code }) => code);
}
