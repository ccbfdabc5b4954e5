/** What the question needs of a card. The console's pages load this file, so it imports nothing. */
interface AskedCard {
  readonly uid: string;
  readonly session: number;
  readonly lastInvoiceCommand: keyof typeof WAYS_OUT | undefined;
}

type InReader =
  | { readonly kind: "no-card" | "unreachable" | "unsupported" }
  | {
      readonly kind: "ready";
      readonly identity: { readonly uid: string };
      readonly session: number;
      readonly pin: "required" | "verified" | "locked";
    };

/**
 * Says how a sale in doubt can be settled.
 * - `pin`: the card is in the reader; after the next PIN, the card's last invoice settles the sale.
 * - `card`: another card, or none, is in the reader.
 * - `training`: the card cannot repeat its last invoice; the counter of a Training receipt decides.
 * - `person`: the service has asked the card, and the answer makes no sense; or the card is locked for good.
 */
export type WayOut = "pin" | "card" | "training" | "person";

/**
 * @param card what the protocol knows of the card at work
 * @param uid the card that was asked to sign; undefined for the card at work
 * @param element what is in the reader; undefined if it is the card at work, with a verified PIN
 */
export function wayOut(card: AskedCard | undefined, uid = card?.uid, element?: InReader): WayOut {
  if (element) {
    if (element.kind !== "ready" || element.identity.uid !== uid) return "card";
    if (element.pin === "locked") return "person";
    if (element.pin === "required" || card?.session !== element.session) return "pin";
  }
  return card?.uid === uid ? WAYS_OUT[card?.lastInvoiceCommand ?? "works"] : "pin";
}

/**
 * How to settle a sale after a right PIN. `works` leads to `pin`: if the card has the command and a sale is still in
 * doubt, the exchange was disturbed, so a person verifies the PIN again.
 */
const WAYS_OUT = { works: "pin", missing: "training", odd: "person" } as const;
