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
  const identity = server.tls.client({ uid: uid });
  const folder = temporaryFolder();
  const certificate = join(folder, "client.crt.pem");
  const key = join(folder, "client.key.pem");
  writeFileSync(certificate, identity.certificate);
  writeFileSync(key, identity.key);
  const authority = new HttpsAuthority({
    address: server.url,
    certificate: readClientCertificate({ certificate, key }),
    ca: server.caCertificate,
    clock: systemClock,
    timer: systemTimer,
  });
  onTestFinished(() => authority.close());
  return authority;
}
