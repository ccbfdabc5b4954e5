/**
 * Identifies the client of the online service by its TLS certificate and the header PAC (protocol facts, section 10).
 * The only answer that we saw at a real service is 403 without a certificate. We chose the other answers
 * (docs/vsdc.md).
 */
import type { TLSSocket } from "node:tls";
import type { Request } from "express";

/** The PAC of every client of the emulated service: 6 characters. It is for tests and not a secret. */
export const PAC = "A1B2C3";

/** A refusal, in the form in which real online services report some errors. */
export interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly message: string;
  readonly details: string;
}

export type Client = { readonly kind: "client"; readonly uid: string } | ({ readonly kind: "refused" } & Refusal);

/** Returns the client of a request, or a refusal. @param revoked whether the client certificate was revoked */
export function clientOf(request: Request, revoked: boolean): Client {
  const socket = request.socket as TLSSocket;
  const { raw, subject } = socket.getPeerCertificate();
  // Node gives an empty object for a client without a certificate.
  if (!(raw as Buffer | undefined)) {
    return refused(403, "Forbidden", "The TLS handshake had no client certificate; send the one of the emulator");
  }
  if (!socket.authorized) {
    const details = `The client certificate is not valid now, or another authority issued it: ${socket.authorizationError}`;
    return refused(403, "Forbidden", details);
  }
  if (revoked) return refused(403, "Forbidden", "The client certificate is revoked");
  const { serialNumber: uid } = subject as { readonly serialNumber?: unknown };
  if (typeof uid !== "string") {
    return refused(403, "Forbidden", "The subject of the client certificate has no UID as serialNumber");
  }
  const pac = request.get("PAC");
  if (pac === undefined || pac === "") return refused(401, "PAC is missing", "Send the header PAC with 6 characters");
  if (pac !== PAC) return refused(401, "PAC is wrong", "The header PAC does not belong to the client certificate");
  return { kind: "client", uid };
}

export function refused(status: Refusal["status"], message: string, details: string): Client & { kind: "refused" } {
  return { kind: "refused", status, message, details };
}
