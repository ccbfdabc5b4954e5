/** Starts an audit of the card, or says in the chosen language why none has started. */
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

/** @param forStick whether to start it also without a connection @returns why no audit has started; null if one has */
export async function startAudit(say: Say, forStick: boolean): Promise<string | null> {
  const { obstacle } = await call<AuditBegunRecord>("/console/audit/start", { method: "POST", body: { forStick } });
  return obstacle && `${say("auditNotStarted")} ${say(OBSTACLES[obstacle])}`;
}
