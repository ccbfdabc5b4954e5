/**
 * The tax authority's audit of the card (protocol facts, section 8), step by step: start it, send the packages that it covers, ask
 * for the proof, put the proof to the card. Each step is durable before the next one begins, so that an audit goes on after a crash
 * from where it was. Sales go on meanwhile: what is signed after the start stays in the card's sum.
 */
import type { Logger } from "pino";
import type { Clock } from "../clock.js";
import { reachesShare } from "../fiscal/limit.js";
import type { AuditReply, Fiscalizer } from "../fiscalizer/fiscalizer.js";
import { decodeIntent } from "../fiscalizer/intent.js";
import { obstacleText } from "../fiscalizer/protocol/audit-obstacles.js";
import type { Audit, AuditLedger } from "../ledger/audit-ledger.js";
import { Mutex } from "../mutex.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import type { Execution } from "./commands.js";
import type { Round } from "./link.js";
import type { Packages } from "./packages.js";
import type { TaxAuthority } from "./tax-authority.js";

export interface AuditSettings {
  /** Percent of the card's limit. */
  readonly auditShare: number;
  /** Days; 0 for never. */
  readonly auditAge: number;
}

export interface AuditParts {
  readonly fiscalizer: Pick<Fiscalizer, "startAudit" | "endAudit">;
  readonly secureElement: Pick<SecureElement, "state" | "amountStatus">;
  readonly audits: AuditLedger;
  readonly packages: Pick<Packages, "sendNext" | "sendRefusedAgain">;
  readonly settings: AuditSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** A step was made. */
  readonly changed: () => void;
}

/** What a person who wants an audit gets. */
export type Begun =
  | { readonly begun: true; readonly audit: Audit }
  | { readonly begun: false; readonly reason: string };

/** Behind the `01000000` of the card's answer to Start Audit. */
const BLOCK_BYTES = 256;
/** What the card takes for End Audit. */
const PROOF_BYTES = 256;
const DAY_MS = 86_400_000;
/** ms after which a proof that has not come is asked for again. */
const RENEW_MS = DAY_MS;

export class Audits {
  /** Two steps of one audit never run at the same time. */
  private readonly order = new Mutex();
  /** Of cards that have refused a proof since their audit was started. */
  private readonly refused = new Set<string>();

  constructor(private readonly parts: AuditParts) {}

  /** A round's share: packages, then the audit. @throws AuthorityError, LedgerError */
  readonly task = async ({ authority, identity, take, ended }: Round): Promise<void> => {
    const { uid } = identity;
    for (;;) {
      if (ended.aborted) return;
      const sent = await this.parts.packages.sendNext(uid, authority);
      if (!sent) break;
      this.parts.changed();
      if (sent.commands.length > 0) await take(sent.commands);
    }
    await this.startAgain(uid);
    if (await this.due(uid)) await this.begin(uid);
    await take(await this.request(uid, authority));
  };

  /** On demand. An audit that is under way goes on, and its proof is asked for again. @throws LedgerError */
  now(uid: string): Promise<Begun> {
    return this.order.run(async () => {
      const { audits, packages } = this.parts;
      await packages.sendRefusedAgain(uid);
      const open = await audits.openAudit(uid);
      if (open) await audits.commit([{ change: "requested", id: open.id, at: null }]);
      const reply = open ? ({ done: true } as const) : await this.start(uid);
      const audit = await audits.openAudit(uid);
      if (reply.done && audit) return { begun: true, audit };
      return { begun: false, reason: reply.done ? obstacleText("ended") : reply.reason };
    });
  }

  /** Command 5. @param bytes the proof of audit @throws LedgerError */
  readonly proof = (uid: string, bytes: Uint8Array): Promise<Execution> =>
    this.order.run(async () => {
      const { audits, fiscalizer } = this.parts;
      if (bytes.length !== PROOF_BYTES) {
        return {
          execution: "failed",
          reason: `a proof of audit has ${PROOF_BYTES} bytes, and this has ${bytes.length}`,
        };
      }
      const audit = await audits.openAudit(uid);
      if (!audit) return this.withoutAudit(uid);
      const reply = await fiscalizer.endAudit(audit, bytes);
      this.parts.changed();
      if (reply.done) {
        this.parts.log.info({ uid, audit: audit.id }, "the card has taken the proof of audit");
        return { execution: "done" };
      }
      if (reply.why === "blocked" || reply.why === "card") return { execution: "later", reason: reply.reason };
      // Another proof, behind this one, may be right: it would not be for a new audit.
      if (reply.why === "bad-proof") this.refused.add(uid);
      return { execution: "failed", reason: reply.reason };
    });

  /** The authority has mixed something up, or another program has started an audit since: a new request settles both. */
  private startAgain(uid: string): Promise<void> {
    return this.order.run(async () => {
      if (!this.refused.has(uid)) return;
      if ((await this.parts.audits.openAudit(uid)) && !(await this.start(uid)).done) return;
      this.refused.delete(uid);
    });
  }

  /** Killed after the audit had ended, and before the command was noted; or the authority has sent it twice. */
  private async withoutAudit(uid: string): Promise<Execution> {
    const last = await this.parts.audits.lastAudit(uid);
    if (last?.outcome === "ended") return { execution: "done" };
    return { execution: "failed", reason: "no audit is under way" };
  }

  private begin(uid: string): Promise<void> {
    return this.order.run(async () => {
      if (await this.parts.audits.openAudit(uid)) return;
      const reply = await this.start(uid);
      if (!reply.done) this.parts.log.info({ uid, reason: reply.reason }, "an audit is due and waits");
    });
  }

  private async start(uid: string): Promise<AuditReply> {
    const reply = await this.parts.fiscalizer.startAudit(uid);
    if (reply.done) this.parts.log.info({ uid }, "an audit has started");
    this.parts.changed();
    return reply;
  }

  /** Once the authority has what the audit covers. @returns the commands of its answer */
  private async request(uid: string, authority: Pick<TaxAuthority, "requestProof">) {
    const { audits, clock } = this.parts;
    const audit = await audits.openAudit(uid);
    if (!audit || !(await this.isToRequest(audit))) return [];
    const { id, request, sum, limit } = audit;
    const commands = await authority.requestProof({ auditRequestPayload: auditBlock(request), sum, limit });
    // A proof that has come meanwhile has closed it.
    if ((await audits.openAudit(uid))?.id === id) await audits.commit([{ change: "requested", id, at: clock.now() }]);
    this.parts.changed();
    return commands;
  }

  private async isToRequest({ uid, covers, requestedAt }: Audit): Promise<boolean> {
    const { audits, clock } = this.parts;
    // Of a clock that was set back, the time of the request says nothing.
    const age = requestedAt === null ? RENEW_MS : clock.now() - requestedAt;
    if (age >= 0 && age < RENEW_MS) return false;
    const { sentTo } = await audits.progress(uid);
    const next = await audits.nextSale(uid, sentTo);
    return next === undefined || next.id > covers;
  }

  /** Whether the sum or the age of what no proof covers asks for an audit. */
  private async due(uid: string): Promise<boolean> {
    const { secureElement, audits, settings, clock } = this.parts;
    const { state } = secureElement;
    if (state.state !== "ready" || state.pin !== "verified" || state.identity.uid !== uid) return false;
    if (await audits.openAudit(uid)) return false;
    const amount = await secureElement.amountStatus(uid);
    if (amount.outcome !== "ok" || amount.sum === 0n) return false;
    if (reachesShare(amount, settings.auditShare)) return true;
    if (settings.auditAge === 0) return false;
    const { provenTo } = await audits.progress(uid);
    const oldest = await audits.nextSale(uid, provenTo);
    return oldest !== undefined && clock.now() - timeOf(oldest.intent) >= settings.auditAge * DAY_MS;
  }
}

/** The 256 bytes that the authority wants of the card's answer to Start Audit. */
export function auditBlock(request: Uint8Array): Uint8Array {
  return request.subarray(-BLOCK_BYTES);
}

/** ms since the epoch; of a damaged intent never old. */
function timeOf(intent: string | null): number {
  try {
    return intent === null ? Number.POSITIVE_INFINITY : decodeIntent(intent).sdcTime;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
