/** The service of a shop that the tax authority configures: over HTTPS, with a certificate, and a card behind pcscd. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { loadEnvironment } from "../../src/config/environment.js";
import { serve, tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { environmentFile } from "../support/invoices.js";
import { eventually, Pcscd } from "../support/pcsc.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

it("sells with the rates that the authority has sent, and shows 0210", async () => {
  const card = makeCard();
  const link = new VpcdLink(card);
  await link.insert();
  onTestFinished(() => link.remove());
  const authority = await TaxAuthorityServer.open({ environment: loadEnvironment(environmentFile("specification")) });
  onTestFinished(() => authority.close());
  const { certificate, key } = await authority.clientCertificateFor(card.profile.uid);
  const folder = temporaryFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const { url } = await serve([
    ...["--card", "pcsc", "--data-dir", join(folder, "data"), "--authority-url", authority.url],
    ...["--authority-certificate", file("client.pem", certificate + key)],
    ...["--authority-ca", file("ca.pem", authority.caCertificate)],
  ]);
  const status = async () =>
    (await callService(url, "GET", "/api/v3/status")).json<{ gsc: string[]; environmentSource: string }>();
  // 1999 warns of the test card.
  await eventually(
    async () => (await status()).gsc.join() === "1500,0210,1999",
    "the authority has configured the card",
  );
  expect((await status()).environmentSource).toMatch(/^tax authority, since/);
  const { stdout } = await tillseal(["status", "--data-dir", join(folder, "data")]);
  expect(stdout).toMatch(/^environment: TEST, sent by the tax authority 20.*\ntax authority: reachable since 20/m);
  await callService(url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: card.profile.pin });
  const sold = await callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
  expect([sold.status, sold.json()]).toMatchObject([200, { taxGroupRevision: 1 }]);
});
