/** Makes the lines that an emulator prints at its start about its online service. */

import type { World } from "../../emulator/world/world.js";
import { API_PREFIX } from "../../src/http/endpoints.js";

/**
 * Returns lines that explain how a POS calls the online service of a world; an empty list if the world has no online
 * service.
 * @param control base URL of the control interface
 */
export function onlineLines(world: Pick<World, "vsdc" | "onlineAccess">, control: string): string[] {
  const { vsdc } = world;
  if (!vsdc) return [];
  const { pac, passphrase } = world.onlineAccess();
  const files = `${control}/control/vsdc`;
  return [
    `the emulated online service (V-SDC) listens on ${vsdc.url}${API_PREFIX}. Header PAC: ${pac}`,
    `  client certificate: ${files}/client.pfx (passphrase ${passphrase}) or ${files}/client.pem`,
    `  trust the server's certificate with ${files}/ca.pem`,
  ];
}
