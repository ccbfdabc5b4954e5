/** Asks the service to start an audit of the card, and says in the person's language why it has not. */
import type { AuditObstacle } from "../../fiscalizer/protocol/audit-obstacles.js";
import type { AuditBegunRecord } from "../records.js";
import { call } from "./api.js";
import type { Say, TextKey } from "./texts.js";

const OBSTACLES = {
  "no-card": "auditNoCard",
  pin: "auditNeedsPin",
  doubt: "auditDoubt",
  "not-compared": "auditNotCompared",
  ended: "auditHasEnded",
  card: "auditCardFailed",
} as const satisfies Record<AuditObstacle, TextKey>;

/** @returns why there is none; null where one has started */
export async function startAudit(say: Say): Promise<string | null> {
  const { obstacle } = await call<AuditBegunRecord>("/console/audit/start", { method: "POST", body: {} });
  return obstacle && `${say("auditNotStarted")} ${say(OBSTACLES[obstacle])}`;
}
