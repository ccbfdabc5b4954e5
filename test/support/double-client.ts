/** The service's client, connected to the authority's double. */
import { onTestFinished } from "vitest";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority, type HttpsAuthorityOptions } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/base/clock.js";
import { AuthorityDouble, DOUBLE_UID } from "./authority-double.js";
import { type KeyPair, TestCa } from "./openssl.js";
import { sharedFolder } from "./shared-folder.js";

export interface DoubleAndClient {
  readonly ca: TestCa;
  readonly double: AuthorityDouble;
  readonly authority: HttpsAuthority;
  client(options?: Partial<HttpsAuthorityOptions>): HttpsAuthority;
}

interface Identities {
  readonly ca: TestCa;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

let identities: Identities | undefined;

/** One set for all tests of a process, because openssl is slow. */
export function testIdentities(): Identities {
  if (identities) return identities;
  const ca = new TestCa(sharedFolder());
  const server = ca.issue("server", { names: "DNS:localhost,IP:127.0.0.1" });
  const client = ca.issue("client", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}` });
  identities = { ca, server, client };
  return identities;
}

export async function doubleAndClient(options: Partial<HttpsAuthorityOptions> = {}): Promise<DoubleAndClient> {
  const { ca, server, client: files } = testIdentities();
  const double = await AuthorityDouble.open(ca, server);
  const certificate = readClientCertificate(files);
  const client = (other: Partial<HttpsAuthorityOptions> = {}) => {
    const defaults = { address: double.url, ca: ca.pem, certificate, clock: systemClock, timer: systemTimer };
    const authority = new HttpsAuthority({ ...defaults, ...other });
    onTestFinished(() => authority.close());
    return authority;
  };
  return { ca, double, client, authority: client(options) };
}

/** Fault and message of a failed call. */
export async function failureOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "nothing failed",
    (error: unknown) => `${(error as { fault?: string }).fault}: ${(error as Error).message}`,
  );
}
