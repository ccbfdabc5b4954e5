/** The emulator that a POS calls while a command watches it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { World } from "../../emulator/world/world.js";
import { onlineLines, openEmulator } from "../control/control-server.js";

export async function openPosEmulator({ port, host, vsdc }: { port: number; host: string; vsdc?: boolean }) {
  const given = { authority: {}, ...(vsdc ? { vsdc: {} } : {}) };
  const { world, control, rehearsal, situations, close } = await openEmulator(given, { port, host, realTime: true });
  const folder = vsdc ? mkdtempSync(join(tmpdir(), "tillseal-pos-")) : undefined;
  return {
    world,
    controlUrl: control.url,
    rehearsal,
    situations,
    /** The variables in which the POS's own tests find the emulator. */
    addresses: {
      TILLSEAL_URL: world.url,
      TILLSEAL_CONTROL_URL: control.url,
      ...(folder === undefined ? {} : await onlineAddresses(world, folder)),
    },
    /** The same addresses for people. */
    lines: [
      `point the POS at ${world.url}; the PIN of the card is 1234`,
      `console: ${world.url}/#/rehearsal shows the list live; control interface: ${control.url}/control`,
      ...onlineLines(world, control.url),
    ],
    close: async () => {
      await close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

/** Says what sent nothing. @param addresses that a POS had */
export function nothingSent(command: readonly string[], addresses: Readonly<Record<string, string>>): string {
  const { TILLSEAL_URL: url, TILLSEAL_CONTROL_URL: control } = addresses;
  const isRun = command.length > 0 && url !== undefined;
  const place = isRun
    ? "TILLSEAL_URL: a kit inside the test starts its own emulator"
    : (url ?? `the emulator of ${control}`);
  return `the POS sent nothing; no request reached ${place}`;
}

/** @param folder gets the files with the certificates */
async function onlineAddresses(world: World, folder: string): Promise<Record<string, string>> {
  const { vsdc } = world;
  if (!vsdc) return {};
  const { pac, passphrase, ca } = world.look("vsdc");
  const [certificate, authorities] = [join(folder, "client.pfx"), join(folder, "ca.pem")];
  writeFileSync(certificate, await vsdc.pfxFor(world.uid));
  writeFileSync(authorities, ca);
  return {
    TILLSEAL_VSDC_URL: vsdc.url,
    TILLSEAL_VSDC_PAC: pac,
    TILLSEAL_VSDC_CERTIFICATE: certificate,
    TILLSEAL_VSDC_PASSPHRASE: passphrase,
    TILLSEAL_VSDC_CA: authorities,
  };
}
