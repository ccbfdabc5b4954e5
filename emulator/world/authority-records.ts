/** A card of a world for the verification page. */
import { X509Certificate } from "node:crypto";
import type { NamedCards } from "../card/named-cards.js";
import type { RegisteredCard } from "../tax-authority/verification.js";

/** Every card of a world is registered with its authority. */
export function registeredCard(cards: NamedCards, uid: string): RegisteredCard | undefined {
  const card = cards.withUid(uid);
  if (!card) return undefined;
  const { tin, businessName } = card.profile.taxpayer;
  return { uid, tin, businessName, publicKey: new X509Certificate(card.certificate).publicKey };
}
