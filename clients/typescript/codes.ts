/** Written by `npm run docs` from src/fiscal/codes.ts. Do not edit. */

/** What a till does next. */
export type Action = "none" | "insert-card" | "enter-pin" | "repeat" | "correct" | "audit" | "call";

export const CODES = {
  "0000": { action: "none", meaning: "All OK" },
  "0100": { action: "none", meaning: "PIN verified" },
  "0210": { action: "none", meaning: "Tax authority reachable" },
  "0220": { action: "none", meaning: "Tax authority not reachable" },
  "1100": { action: "audit", meaning: "Store of unsent audit packages is 90 % full" },
  "1300": { action: "insert-card", meaning: "Smart card is not present" },
  "1400": { action: "audit", meaning: "Audit required" },
  "1500": { action: "enter-pin", meaning: "PIN required" },
  "1999": { action: "repeat", meaning: "Other warning, see mssc or details" },
  "2100": { action: "enter-pin", meaning: "Incorrect PIN" },
  "2110": { action: "call", meaning: "Card locked: no PIN attempts are left" },
  "2210": { action: "audit", meaning: "Secure Element locked: amount limit reached, signing disabled by the tax authority, or invoice counter of the card used up" },
  "2220": { action: "repeat", meaning: "Cannot connect to the Secure Element" },
  "2230": { action: "call", meaning: "Card protocol is not supported" },
  "2310": { action: "correct", meaning: "Invalid tax labels" },
  "2400": { action: "call", meaning: "Not configured" },
  "2800": { action: "correct", meaning: "Required field is missing" },
  "2801": { action: "correct", meaning: "Value is too long" },
  "2802": { action: "correct", meaning: "Value is too short" },
  "2803": { action: "correct", meaning: "Value has the wrong length" },
  "2804": { action: "correct", meaning: "Value is out of range" },
  "2805": { action: "correct", meaning: "Invalid value" },
  "2806": { action: "correct", meaning: "Invalid format" },
  "2807": { action: "correct", meaning: "List has too few entries" },
  "2808": { action: "correct", meaning: "List has too many entries" },
  "2809": { action: "call", meaning: "Invoice time is outside the validity of the card's certificate" },
} as const satisfies Readonly<
  Record<string, { readonly action: Action; readonly meaning: string }>
>;
