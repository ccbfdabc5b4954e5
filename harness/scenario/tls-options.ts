/** Reads the files for a TLS connection to a service. */
import type { SecureContextOptions } from "node:tls";
import { readCertificates, readClientCertificate } from "../../src/authority/client-certificate.js";
import type { TlsFlags } from "./remote.js";

/** @throws ConfigError if a file cannot be used */
export function tlsOptions({ cert, key, passphraseFile, ca }: TlsFlags): SecureContextOptions {
  const own = cert === undefined ? undefined : readClientCertificate({ certificate: cert, key, passphraseFile });
  return {
    ...(own ? { cert: own.chain, key: own.privateKey.export({ type: "pkcs8", format: "pem" }) } : {}),
    ...(ca === undefined ? {} : { ca: readCertificates(ca) }),
  };
}
