/**
 * The fault `renegotiation`: the server asks for the client certificate in a second handshake on the same connection,
 * after it has read the request's path. A real authority does the same (protocol facts, section 8). TLS 1.3 has no
 * renegotiation.
 */
import { constants } from "node:crypto";
import type { Server } from "node:https";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { CallError } from "../../src/http/call-errors.js";

/** Applies the fault to each new connection of a server. @param tls the server's options without the fault */
export function renegotiateOn(server: Server, tls: SecureContextOptions, isOn: () => boolean): void {
  const late: SecureContextOptions = {
    ...tls,
    maxVersion: "TLSv1.2",
    // A client that resumes its session in the second handshake sends no certificate. These options prevent that.
    secureOptions: constants.SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
  };
  // Node reads `requestCert` of the server for each connection, but Node's types do not have this property.
  const asking = server as Server & { requestCert: boolean };
  let wasOn = false;
  server.prependListener("connection", () => {
    if (isOn() === wasOn) return;
    wasOn = !wasOn;
    asking.requestCert = !wasOn;
    server.setSecureContext(wasOn ? late : tls);
  });
}

/** Resolves also if the client has no certificate. @throws CallError 403 if it was not renegotiated */
export function askForCertificate(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new CallError(403, "The connection was not renegotiated with TLS 1.2; connect again"));
    if (socket.getProtocol() !== "TLSv1.2") return refuse();
    socket.once("close", refuse);
    socket.renegotiate({ requestCert: true, rejectUnauthorized: false }, (error) => {
      socket.off("close", refuse);
      if (error) refuse();
      else resolve();
    });
  });
}
