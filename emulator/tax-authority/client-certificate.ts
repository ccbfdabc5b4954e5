/** Identifies the client of a connection by the certificate in its TLS handshake. */
import type { TLSSocket } from "node:tls";
import { isUid } from "../../src/authority/stick-files.js";
import { CallError } from "../../src/http/call-errors.js";

/** @throws CallError 403 */
export function clientOf(socket: TLSSocket): { readonly uid: string; readonly der: Uint8Array } {
  const { raw: der, subject } = socket.getPeerCertificate();
  // Node gives an empty object for a client without a certificate.
  if (!(der as Buffer | undefined))
    throw new CallError(403, "The TLS handshake had no client certificate; send the one that the authority made");
  if (!socket.authorized) {
    const reason = String(socket.authorizationError);
    throw new CallError(403, `The client certificate is not valid now, or another authority issued it: ${reason}`);
  }
  const { serialNumber: uid } = subject as { readonly serialNumber?: unknown };
  if (typeof uid !== "string" || !isUid(uid))
    throw new CallError(403, "The subject of the client certificate has no UID as serialNumber");
  return { uid, der };
}
