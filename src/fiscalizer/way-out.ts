/**
 * How a sale in doubt can be settled.
 * - `pin`: the card is in the reader; after the next PIN, its last invoice settles the sale.
 * - `card`: another card, or none, is in the reader.
 * - `training`: the card cannot repeat its last invoice; the counter of a Training receipt decides.
 * - `person`: the card has been asked, and its answer makes no sense; or it is locked for good.
 */
export type WayOut = "pin" | "card" | "training" | "person";
