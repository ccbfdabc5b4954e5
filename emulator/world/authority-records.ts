/** What the emulated tax authority knows of a world: its cards, and the receipts in its store. */
import { X509Certificate } from "node:crypto";
import { networkInterfaces } from "node:os";
import type { FiscalEnvironment } from "../../src/config/environment.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { RegisteredCard } from "../tax-authority/verification.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";

/** Every card of a world is registered with its authority. */
export function registeredCard(cards: Iterable<EmulatedCard>, uid: string): RegisteredCard | undefined {
  const card = [...cards].find(({ profile }) => profile.uid === uid);
  if (!card) return undefined;
  const { tin, businessName } = card.profile.taxpayer;
  return { uid, tin, businessName, publicKey: new X509Certificate(card.certificate).publicKey };
}

/** Names below .test exist nowhere (RFC 6761): no phone could open such an address. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/** The environment whose QR codes lead to the service's own address, where they would lead nowhere. */
export function reachable(environment: FiscalEnvironment, url: () => string): FiscalEnvironment {
  const { parameters } = environment;
  if (!NOWHERE.test(parameters.endpoints.root)) return environment;
  const endpoints = {
    ...parameters.endpoints,
    // The port is known once the service listens.
    get root() {
      return outsideAddress(url()) + VERIFICATION_PATH;
    },
  };
  return { ...environment, parameters: { ...parameters, endpoints } };
}

/** Where a service listens on every address, the first one that others can reach. */
export function outsideAddress(url: string): string {
  const address = new URL(url);
  if (address.hostname !== "0.0.0.0" && address.hostname !== "[::]") return url;
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((network) => network?.family === "IPv4" && !network.internal);
  address.hostname = outside?.address ?? "127.0.0.1";
  return address.origin;
}
