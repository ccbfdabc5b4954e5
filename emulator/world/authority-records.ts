/** A card of a world for the verification page. */
import { X509Certificate } from "node:crypto";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { NamedCards } from "../card/named-cards.js";
import type { RegisteredCard } from "../tax-authority/verification.js";

/**
 * Returns the card with a UID, in the form of the authority's register. Every card of a world counts as registered.
 * @param online the element of the online service
 */
export function registeredCard(
  cards: NamedCards,
  uid: string,
  online: EmulatedCard | undefined,
): RegisteredCard | undefined {
  const card = online?.profile.uid === uid ? online : cards.withUid(uid);
  if (!card) return undefined;
  const { tin, businessName, locationName } = card.profile.taxpayer;
  return { uid, tin, businessName, locationName, publicKey: new X509Certificate(card.certificate).publicKey };
}
