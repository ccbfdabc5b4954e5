/** TLS trust in both directions: the authority's certificate, and ours. */
import { createServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import type { HttpsAuthorityOptions } from "../../src/authority/https-authority.js";
import { AuthorityDouble, DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient, failureOf, testIdentities } from "../support/double-client.js";
import { temporaryFolder } from "../support/folder.js";
import { type Issued, opensslServer, TestCa } from "../support/openssl.js";
import { testProxy } from "../support/proxy.js";

const NAMES = "DNS:localhost,IP:127.0.0.1";
const DAY = 86_400_000;

/** The error for a server with this certificate. */
async function atServerWith(issued: Issued, options: Partial<HttpsAuthorityOptions> = {}): Promise<string> {
  const { client } = await doubleAndClient();
  const { ca } = testIdentities();
  const other = await AuthorityDouble.open(ca, ca.issue("other", issued));
  const failure = await failureOf(client({ address: other.url, ...options }).commands());
  expect(other.seen).toEqual([]);
  return failure;
}

it("the certificate of the authority's server is not trusted when another CA issued it, and nothing is sent", async () => {
  const another = new TestCa(temporaryFolder(), "another");
  const failure = await atServerWith({ names: NAMES }, { ca: another.pem });
  expect(failure).toMatch(/^not-trusted: GET https:.*\/sdc\/token: the certificate there is not trusted \([A-Z_]+\)/);
  expect(failure).toContain("authorityCa");
});

it("the certificate of the authority's server is not trusted without the setting authorityCa, because no public CA issued it", async () => {
  expect(await atServerWith({ names: NAMES }, { ca: undefined })).toMatch(/^not-trusted: .*not trusted/);
});

it("the certificate of the authority's server is not trusted when NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment, with and without a proxy", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  onTestFinished(() => void vi.unstubAllEnvs());
  const proxy = await testProxy();
  for (const options of [{}, { proxy: new URL(proxy.url) }]) {
    expect(await atServerWith({ names: NAMES }, { ca: undefined, ...options })).toMatch(/^not-trusted: .*not trusted/);
  }
});

it("the certificate of the authority's server is not trusted for another name", async () => {
  const failure = await atServerWith({ names: "DNS:elsewhere.example" });
  expect(failure).toMatch(/^not-trusted: .*is for another name; correct the address \(authorityUrl\)$/);
});

it("the certificate of the authority's server is not trusted when it has expired", async () => {
  expect(await atServerWith({ names: NAMES, days: 0 })).toMatch(/^not-trusted: .*CERT_HAS_EXPIRED.*check the clock/);
});

it("the certificate of the authority's server is missing on a server without HTTPS, which is reported as such", async () => {
  const { client } = await doubleAndClient();
  const server = createServer((socket) => socket.end("220 mail.example ESMTP\r\n")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const failure = await failureOf(client({ address: `https://127.0.0.1:${port}` }).commands());
  expect(failure).toMatch(/^odd-answer: .*no HTTPS server answers there/);
});

const ours = (issued: Issued, ca = testIdentities().ca) =>
  readClientCertificate(ca.issue("ours", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}`, ...issued }));

it("our certificate gets no token when another CA issued it", async () => {
  const { double, client } = await doubleAndClient();
  const certificate = ours({}, new TestCa(temporaryFolder(), "another"));
  const failure = await failureOf(client({ certificate }).commands());
  expect(failure).toMatch(/^refused: GET .*\/sdc\/token: .*HTTP 403: "no certificate that is valid"; ask/);
  expect(double.tokensIssued).toBe(0);
});

it("our certificate is reported as expired when that may be why it is refused", async () => {
  const { client } = await doubleAndClient();
  const certificate = ours({ days: 0 });
  const clock = { now: () => certificate.validTo + DAY };
  const failure = await failureOf(client({ certificate, clock }).commands());
  expect(failure).toContain(`${certificate.file} expired on ${new Date(certificate.validTo).toISOString()}`);
});

it("our certificate is reported as not yet valid when that may be why it is refused", async () => {
  const { double, client } = await doubleAndClient();
  double.instead = (_request, response) => {
    response.writeHead(403).end();
    return true;
  };
  const clock = { now: () => 0 };
  expect(await failureOf(client({ clock }).commands())).toMatch(/ is not valid before 20\d\d-/);
});

it.each(["-tls1_2", "-tls1_3"])(
  "our certificate is named when the server ends the handshake because of it: %s",
  async (version) => {
    const { client } = await doubleAndClient();
    const { ca, server } = testIdentities();
    const url = await opensslServer(server, ca, version);
    const certificate = ours({}, new TestCa(temporaryFolder(), "another"));
    const failure = await failureOf(client({ address: url, certificate }).commands());
    expect(failure).toMatch(/^not-trusted: .*our certificate is not accepted \(alert 48\).*authorityCertificate/);
  },
);
