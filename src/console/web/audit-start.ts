/** Starts an audit of the card, or returns a text in the chosen language that says why no audit has started. */
import type { AuditObstacle } from "../../fiscalizer/protocol/audit-obstacles.js";
import type { AuditBegunRecord } from "../records/audits.js";
import { call } from "./api.js";
import type { Say, TextKey } from "./texts.js";

const OBSTACLES = {
  "no-connection": "auditNoConnection",
  "no-card": "auditNoCard",
  pin: "auditNeedsPin",
  doubt: "auditDoubt",
  "not-compared": "auditNotCompared",
  ended: "auditHasEnded",
  card: "auditCardFailed",
} as const satisfies Record<AuditObstacle, TextKey>;

/**
 * Asks the service to start an audit.
 * @param forStick whether to start the audit also without a connection
 * @returns why no audit has started; null if an audit has started
 */
export async function startAudit(say: Say, forStick: boolean): Promise<string | null> {
  const { obstacle } = await call<AuditBegunRecord>("/console/audit/start", { method: "POST", body: { forStick } });
  return obstacle && `${say("auditNotStarted")} ${say(OBSTACLES[obstacle])}`;
}
