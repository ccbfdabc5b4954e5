/** The contract on the HTTPS client, against a strict double. */
import { DOUBLE_UID } from "../support/authority-double.js";
import { doubleAndClient } from "../support/double-client.js";
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
  };
});
