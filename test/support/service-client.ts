/** The service's own client of the tax authority, connected to an emulated one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";
import { temporaryFolder } from "./folder.js";

export async function serviceClient(server: TaxAuthorityServer, uid: string): Promise<HttpsAuthority> {
  const { pfx, passphrase } = await server.clientCertificateFor(uid);
  const folder = temporaryFolder();
  const certificate = join(folder, "client.pfx");
  const passphraseFile = join(folder, "passphrase");
  writeFileSync(certificate, pfx);
  writeFileSync(passphraseFile, passphrase);
  const authority = new HttpsAuthority({
    address: server.url,
    certificate: readClientCertificate({ certificate, passphraseFile }),
    ca: server.caCertificate,
    clock: systemClock,
    timer: systemTimer,
  });
  onTestFinished(() => authority.close());
  return authority;
}
