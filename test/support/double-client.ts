/** The service's client, opened against the authority's double. */
import { onTestFinished } from "vitest";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority, type HttpsAuthorityOptions } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/clock.js";
import { AuthorityDouble, DOUBLE_UID } from "./authority-double.js";
import { temporaryFolder } from "./folder.js";
import { TestCa } from "./openssl.js";

export interface DoubleAndClient {
  readonly ca: TestCa;
  readonly folder: string;
  readonly double: AuthorityDouble;
  readonly authority: HttpsAuthority;
  /** Another client. */
  client(options?: Partial<HttpsAuthorityOptions>): HttpsAuthority;
}

export async function doubleAndClient(options: Partial<HttpsAuthorityOptions> = {}): Promise<DoubleAndClient> {
  const folder = temporaryFolder();
  const ca = new TestCa(folder);
  const double = await AuthorityDouble.open(ca);
  const certificate = readClientCertificate(ca.issue("client", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}` }));
  const client = (other: Partial<HttpsAuthorityOptions> = {}) => {
    const defaults = { address: double.url, ca: ca.pem, certificate, clock: systemClock, timer: systemTimer };
    const authority = new HttpsAuthority({ ...defaults, ...other });
    onTestFinished(() => authority.close());
    return authority;
  };
  return { ca, folder, double, client, authority: client(options) };
}

/** What a failed call says. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "nothing failed",
    (error: unknown) => `${(error as { fault?: string }).fault}: ${(error as Error).message}`,
  );
}
