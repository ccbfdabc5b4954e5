/** Explains Node's errors for failed requests: what went wrong, where, and what to do. */
import { codeOf, messageOf } from "../base/thrown.js";
import { Ended, type HttpsClient, SIZE_LIMIT_BYTES } from "./https-client.js";
import { ProxyError } from "./proxy-agent.js";
import { AuthorityError, type AuthorityFault } from "./tax-authority.js";

/** Codes with which OpenSSL and Node refuse the other end's certificate. */
const SERVER_CERTIFICATE =
  /^(CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_|HOSTNAME_|PATH_LENGTH|ERROR_IN_CERT|ERR_TLS_CERT)/;
/**
 * Alerts of TLS with which the other end refuses our certificate, or wants one (RFC 8446, section 6):
 * handshake_failure, bad_, unsupported_, revoked, expired and unknown certificate, unknown_ca, access_denied,
 * certificate_required.
 */
const OUR_CERTIFICATE: ReadonlySet<number> = new Set([40, 42, 43, 44, 45, 46, 48, 49, 116]);
/** Alert with which the other end refuses our versions of TLS. */
const PROTOCOL_VERSION = 70;
/** Codes that mean that the other end does not use TLS or HTTP. */
const NO_TLS = /^(EPROTO|ERR_SSL_|HPE_)/;

const WAYS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the host name cannot be looked up",
  ECONNREFUSED: "no server is listening there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "there is no network",
  ETIMEDOUT: "connecting took too long",
};

/** @param where method and address of the request @param client the messages name its limit */
export function explainFailure(error: unknown, where: string, client: HttpsClient): AuthorityError {
  if (error instanceof Ended) return endedByUs(error, where, client);
  const failed = (fault: AuthorityFault, problem: string) => new AuthorityError(fault, `${where}: ${problem}`);
  if (error instanceof ProxyError) return failed("unreachable", `${error.message}; check the setting authorityProxy`);
  const code = codeOf(error) ?? "";
  const cause = messageOf(error);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return failed("not-trusted", "the certificate there is for another name; correct the address (authorityUrl)");
  if (SERVER_CERTIFICATE.test(code)) {
    const advice = "check the clock and the address, or name the file with the authority's CA (authorityCa)";
    return failed("not-trusted", `the certificate there is not trusted (${code}); ${advice}`);
  }
  const alert = Number(/SSL alert number (\d+)/.exec(cause)?.[1]);
  if (alert === PROTOCOL_VERSION && client.pkcs1Only) {
    const advice = "ask the authority for a key and certificate in a file and name it (authorityCertificate)";
    return failed("not-trusted", `insists on TLS 1.3, for which no card can sign; ${advice}`);
  }
  if (OUR_CERTIFICATE.has(alert)) {
    const advice = "ask the authority for another and name it (authorityCertificate)";
    return failed("not-trusted", `our certificate is not accepted (alert ${alert}); ${advice}`);
  }
  if (NO_TLS.test(code))
    return failed("odd-answer", `no HTTPS server answers there (${code}); correct the address (authorityUrl)`);
  return failed("unreachable", `${WAYS[code] ?? (code || cause)}; check network, address and proxy`);
}

function endedByUs({ why }: Ended, where: string, { timeLimitMs }: HttpsClient): AuthorityError {
  const late = `no complete answer within ${timeLimitMs / 1000} s; check network, address and proxy`;
  switch (why) {
    case "closed":
      return new AuthorityError("unreachable", `${where}: the service is stopping`);
    case "too-slow":
      return new AuthorityError("unreachable", `${where}: ${late}`);
    case "too-big":
      return oddAnswer(where, `an answer of more than ${SIZE_LIMIT_BYTES} bytes`);
    case "not-text":
      return oddAnswer(where, "an answer that is not text");
  }
}

export function oddAnswer(where: string, problem: string, status?: number): AuthorityError {
  const message = `${where}: ${problem}; check whether this is the address of the authority (authorityUrl)`;
  return new AuthorityError("odd-answer", message, status);
}
