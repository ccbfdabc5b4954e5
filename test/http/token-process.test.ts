/** A token with a key that is not in this process: TLS runs in a child process of the same Node. */
import { constants, createPrivateKey, privateEncrypt, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { tokenWithCard, tryKey } from "../../src/authority/token-process.js";
import { checkCardKey } from "../../src/doctor/card-key.js";
import type { KeyElement } from "../../src/secure-element/secure-element.js";
import { AuthorityDouble, DOUBLE_UID } from "../support/authority-double.js";
import { failureOf, testIdentities } from "../support/double-client.js";

const { ca, server } = testIdentities();
const client = ca.issue("card", { subject: `/CN=shop/serialNumber=${DOUBLE_UID}`, rsa: true });
const certificate = new X509Certificate(readFileSync(client.certificate)).raw;
const key = createPrivateKey(readFileSync(client.key));

function card() {
  const asked: Uint8Array[] = [];
  const sign = async (digestInfo: Uint8Array): Promise<Uint8Array> => {
    asked.push(digestInfo);
    return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, digestInfo);
  };
  return { asked, sign };
}

const request = (address: string) => ({ address, ca: ca.pem, proxy: undefined, certificate });

it("a token with the card's key costs one signature of a DigestInfo of 51 bytes, and the authority sees the card's certificate", async () => {
  const double = await AuthorityDouble.open(ca, server);
  const { asked, sign } = card();
  const token = await tokenWithCard({ ...request(double.url), sign });
  expect(token.text).not.toBe("");
  expect(token.life).toBeGreaterThan(7 * 3_600_000);
  expect(asked.map(({ length }) => length)).toEqual([51]);
  expect(double.asked("/api/v3/sdc/token")).toHaveLength(1);
});

it("a token with the card's key comes from an authority whose key is RSA, too; the one above has an elliptic curve", async () => {
  const identity = ca.issue("rsa", { names: "DNS:localhost,IP:127.0.0.1", rsa: true });
  const double = await AuthorityDouble.open(ca, identity);
  expect((await tokenWithCard({ ...request(double.url), sign: card().sign })).text).not.toBe("");
});

it("a token with the card's key fails with the reason of the card if the card does not sign", async () => {
  const double = await AuthorityDouble.open(ca, server);
  const sign = () => Promise.reject(new Error("the card was pulled out"));
  expect(await failureOf(tokenWithCard({ ...request(double.url), sign }))).toMatch(/the card was pulled out$/);
  expect(double.asked("/api/v3/sdc/token")).toEqual([]);
});

it("a token with the card's key is refused if the signature is not that of the certificate's key", async () => {
  const double = await AuthorityDouble.open(ca, server);
  const sign = () => Promise.resolve(Buffer.alloc(256, 1));
  expect(await failureOf(tokenWithCard({ ...request(double.url), sign }))).toMatch(/^(unreachable|not-trusted|odd)/);
});

it.each([0, 1, 255, 257, 4096, 1_000_000])(
  "a token with the card's key is refused with a signature of %i bytes: OpenSSL has room for 256",
  async (length) => {
    const failure = failureOf(tryKey(certificate, () => Promise.resolve(Buffer.alloc(length, 0xff))));
    expect(await failure).toMatch(`the signature has ${length} bytes; a key like that of the certificate makes 256`);
  },
);

it.each(["short RSA", "elliptic curve"])(
  "a token with the card's key does not crash with another key in the card: %s",
  async (kind) => {
    const other = ca.issue(kind, { subject: "/CN=other", ...(kind === "short RSA" ? { rsa: 1024 } : {}) });
    const der = new X509Certificate(readFileSync(other.certificate)).raw;
    const element = { keyCertificate: async () => ({ kind: "ok", certificate: der, attempts: { left: 3, full: 3 } }) };
    const checks = await checkCardKey(element as unknown as KeyElement, DOUBLE_UID, undefined, 0);
    const verdicts = checks.map(({ subject, verdict, message }) => [subject, verdict, message]);
    expect(verdicts.at(-1)).toEqual(
      kind === "short RSA"
        ? ["key and Node", "ok", expect.stringContaining("can use it")]
        : ["key and Node", "warn", expect.stringContaining("the certificate's key is ec, not RSA")],
    );
  },
);

it("a token with the card's key cannot come from an authority that insists on TLS 1.3, and the message says so", async () => {
  const keys = { key: readFileSync(server.key), cert: readFileSync(server.certificate), ca: ca.pem };
  const strict = createServer({ ...keys, requestCert: true, minVersion: "TLSv1.3" });
  await new Promise<void>((resolve) => strict.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void strict.close());
  const { port } = strict.address() as AddressInfo;
  const failure = await failureOf(tokenWithCard({ ...request(`https://localhost:${port}`), sign: card().sign }));
  expect(failure).toContain("TLS 1.3");
  expect(failure).toContain("card");
});

it("a token with the card's key is given up when the authority does not answer in time; the child is gone then", async () => {
  const mute = createTcpServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void mute.close());
  const { port } = mute.address() as AddressInfo;
  const asked = tokenWithCard({ ...request(`https://localhost:${port}`), sign: card().sign, longest: 3_000 });
  expect(await failureOf(asked)).toMatch(/^unreachable/);
});

it("a token with the card's key is given up when the child hangs: it is ended from outside", async () => {
  const double = await AuthorityDouble.open(ca, server);
  const sign = () => new Promise<Uint8Array>(() => undefined);
  expect(await failureOf(tokenWithCard({ ...request(double.url), sign, longest: 3_000 }))).toMatch(/^unreachable/);
});
