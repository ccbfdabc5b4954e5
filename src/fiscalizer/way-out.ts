/**
 * Says how a sale in doubt can be settled.
 * - `pin`: the card is in the reader; after the next PIN, the card's last invoice settles the sale.
 * - `card`: another card, or none, is in the reader.
 * - `training`: the card cannot repeat its last invoice; the counter of a Training receipt decides.
 * - `person`: the service has asked the card, and the answer makes no sense; or the card is locked for good.
 */
export type WayOut = "pin" | "card" | "training" | "person";
