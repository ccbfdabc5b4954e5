/** The contract on the HTTPS client, against a strict double and against the emulated authority. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readClientCertificate } from "../../src/authority/client-certificate.js";
import { HttpsAuthority } from "../../src/authority/https-authority.js";
import { systemClock, systemTimer } from "../../src/clock.js";
import { openAuditedTill, packaged, startAudit } from "../support/audited-till.js";
import { DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient } from "../support/double-client.js";
import { temporaryFolder } from "../support/folder.js";
import { taxAuthorityContract } from "./tax-authority.contract.js";

taxAuthorityContract("over HTTPS, as a strict double", async () => {
  const { double, authority } = await doubleAndClient();
  return {
    authority,
    uid: DOUBLE_UID,
    queue: (type, payload) => {
      const commandId = `command-${double.waiting.length + double.reports.length + 1}`;
      double.waiting.push({ commandId, type, payload, uid: DOUBLE_UID });
      return commandId;
    },
    expireTokens: () => double.expireTokens(),
    auditPackage: async () => ({ key: "AAAA", iv: "AAAA", payload: "AAAA" }),
    proofRequest: async () => ({ auditRequestPayload: Buffer.alloc(256, 0xa5), sum: 1n, limit: 5_000_000n }),
  };
});

taxAuthorityContract("over HTTPS, as the emulated authority", async () => {
  const { till, sell, authority: server } = await openAuditedTill({}, { environment: null });
  const { uid } = till.card.profile;
  const { pfx, passphrase } = await server.clientCertificateFor(uid);
  const folder = temporaryFolder();
  const certificate = join(folder, "client.pfx");
  const passphraseFile = join(folder, "passphrase");
  writeFileSync(certificate, pfx);
  writeFileSync(passphraseFile, passphrase);
  const authority = new HttpsAuthority({
    address: server.url,
    certificate: readClientCertificate({ certificate, passphraseFile }),
    ca: server.caCertificate,
    clock: systemClock,
    timer: systemTimer,
  });
  onTestFinished(() => authority.close());
  return {
    authority,
    uid,
    queue: (type, payload) => server.command(uid, type, payload),
    expireTokens: () => server.expireTokens(),
    auditPackage: async () => packaged(await sell()),
    // The package of a sale is missing: the proof has to wait.
    proofRequest: async () => {
      await sell();
      const { block, body } = await startAudit(till);
      return { auditRequestPayload: block, sum: BigInt(body.sum), limit: BigInt(body.limit) };
    },
  };
});
