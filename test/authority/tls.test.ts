/** Who trusts whom: certificates of the authority's server, and ours. */
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import type { HttpsAuthorityOptions } from "../../src/authority/https-authority.js";
import { AuthorityDouble, DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient, failureOf, testIdentities } from "../support/double-client.js";
import { temporaryFolder } from "../support/folder.js";
import { type Issued, openssl, opensslServer, TestCa } from "../support/openssl.js";

const NAMES = "DNS:localhost,IP:127.0.0.1";
const DAY = 86_400_000;

/** What the service says of a server with such a certificate. */
async function atServerWith(issued: Issued, options: Partial<HttpsAuthorityOptions> = {}): Promise<string> {
  const { client } = await doubleAndClient();
  const { ca } = testIdentities();
  const other = await AuthorityDouble.open(ca, ca.issue("other", issued));
  const failure = await failureOf(client({ address: other.url, ...options }).commands());
  expect(other.seen).toEqual([]);
  return failure;
}

describe("the certificate of the authority's server", () => {
  it("is trusted if the named authority issued it, which openssl confirms", async () => {
    const { ca, server } = testIdentities();
    expect(openssl("verify", "-CAfile", ca.certificate, server.certificate)).toContain("OK");
    const { authority } = await doubleAndClient();
    expect(await authority.commands()).toEqual([]);
  });

  it("is not trusted if another authority issued it; nothing is sent", async () => {
    const another = new TestCa(temporaryFolder(), "another");
    const failure = await atServerWith({ names: NAMES }, { ca: another.pem });
    expect(failure).toMatch(/^not-trusted: GET https:.*\/sdc\/token: the certificate there is not trusted \([A-Z_]+\)/);
    expect(failure).toContain("authorityCa");
  });

  it("is not trusted without the setting authorityCa, because no public authority issued it", async () => {
    expect(await atServerWith({ names: NAMES }, { ca: undefined })).toMatch(/^not-trusted: .*not trusted/);
  });

  it("is not trusted for another name", async () => {
    const failure = await atServerWith({ names: "DNS:elsewhere.example" });
    expect(failure).toMatch(/^not-trusted: .*is for another name; correct the address \(authorityUrl\)$/);
  });

  it("is not trusted when it has expired", async () => {
    expect(await atServerWith({ names: NAMES, days: 0 })).toMatch(/^not-trusted: .*CERT_HAS_EXPIRED.*check the clock/);
  });

  it("is not there: no HTTPS server is named as such", async () => {
    const { client } = await doubleAndClient();
    const server = createServer((socket) => socket.end("220 mail.example ESMTP\r\n")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const failure = await failureOf(client({ address: `https://127.0.0.1:${port}` }).commands());
    expect(failure).toMatch(/^odd-answer: .*no HTTPS server answers there/);
  });
});

describe("our certificate", () => {
  const ours = (issued: Issued, ca = testIdentities().ca) =>
    readClientCertificate(ca.issue("ours", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}`, ...issued }));

  it("gets no token if another authority issued it", async () => {
    const { double, client } = await doubleAndClient();
    const certificate = ours({}, new TestCa(temporaryFolder(), "another"));
    const failure = await failureOf(client({ certificate }).commands());
    expect(failure).toMatch(/^refused: GET .*\/sdc\/token: .*HTTP 403: "no certificate that is valid"; ask/);
    expect(double.tokensIssued).toBe(0);
  });

  it("gets no token if it is missing", async () => {
    const { client } = await doubleAndClient();
    expect(await failureOf(client({ certificate: undefined }).signIn())).toMatch(/^refused: .*HTTP 403/);
  });

  it("says that it has expired, if that may be why it is refused", async () => {
    const { client } = await doubleAndClient();
    const certificate = ours({ days: 0 });
    const clock = { now: () => certificate.validTo + DAY };
    const failure = await failureOf(client({ certificate, clock }).commands());
    expect(failure).toContain(`${certificate.file} expired on ${new Date(certificate.validTo).toISOString()}`);
  });

  it("says that it is not valid yet, if that may be why it is refused", async () => {
    const { double, client } = await doubleAndClient();
    double.instead = (_request, response) => {
      response.writeHead(403).end();
      return true;
    };
    const clock = { now: () => 0 };
    expect(await failureOf(client({ clock }).commands())).toMatch(/ is not valid before 20\d\d-/);
  });

  it.each(["-tls1_2", "-tls1_3"])("is named if the server ends the handshake for it: %s", async (version) => {
    const { client } = await doubleAndClient();
    const { ca, server } = testIdentities();
    const url = await opensslServer(server, ca, version);
    const certificate = ours({}, new TestCa(temporaryFolder(), "another"));
    const failure = await failureOf(client({ address: url, certificate }).commands());
    expect(failure).toMatch(/^not-trusted: .*our certificate is not accepted \(alert 48\).*authorityCertificate/);
  });
});
