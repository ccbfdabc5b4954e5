/** The maker's own codes in `mssc` of status (specification, "Status record"); 1999 in `gsc` points to them. */
export const MAKER_CODES = {
  signatureLost: { code: "9001", meaning: "the card has counted an invoice whose signature was lost" },
  testCard: { code: "9002", meaning: "a shop runs with a test card: its receipts are not valid" },
} as const;
