/** The contract on the HTTPS client, against a strict double and against the emulated authority. */
import { openAuditedTill, packaged, startAudit } from "../support/audited-till.js";
import { DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient } from "../support/double-client.js";
import { serviceClient } from "../support/service-client.js";
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
  const authority = await serviceClient(server, uid);
  return {
    authority,
    uid,
    queue: (type, payload) => server.office.command(uid, type, payload),
    expireTokens: () => server.office.expireTokens(),
    auditPackage: async () => packaged(await sell()),
    // The package of a sale is missing, so the proof has to wait.
    proofRequest: async () => {
      await sell();
      const { block, body } = await startAudit(till);
      return { auditRequestPayload: block, sum: BigInt(body.sum), limit: BigInt(body.limit) };
    },
  };
});
