/** The service's own client of the tax authority, connected to an emulated one. */
import { createPrivateKey } from "node:crypto";
import { onTestFinished } from "vitest";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";

export async function serviceClient(server: TaxAuthorityServer, uid: string): Promise<HttpsAuthority> {
  const { certificate: chain, key } = server.tls.client({ uid });
  const certificate = { file: "", chain, privateKey: createPrivateKey(key), uid, validFrom: 0, validTo: 0 };
  const times = { clock: systemClock, timer: systemTimer };
  const authority = new HttpsAuthority({ address: server.url, ca: server.caCertificate, certificate, ...times });
  onTestFinished(() => authority.close());
  return authority;
}
