/**
 * The tax authority's audit of the card (protocol facts, section 8), step by step: start it, send the packages that it
 * covers, ask for the proof, send the proof to the card. Each step is durable before the next one begins, so that an
 * audit continues after a crash. Sales go on meanwhile: what is signed after the start stays in the card's sum.
 */
import { Mutex } from "../base/mutex.js";
import type { Background } from "../base/repeater.js";
import type { Settings } from "../config/settings.js";
import { reachesShare } from "../fiscal/limit.js";
import type { AuditReply, AuditTurns } from "../fiscalizer/audit-turns.js";
import { obstacleText } from "../fiscalizer/protocol/audit-obstacles.js";
import type { Audit, AuditLedger } from "../ledger/audit-ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import type { Execution } from "./command-execution.js";
import type { Round } from "./link.js";
import type { Packages } from "./packages.js";
import type { AuthorityCommand, TaxAuthority } from "./tax-authority.js";

export interface AuditParts extends Pick<Background, "clock" | "log" | "changed"> {
  readonly turns: Pick<AuditTurns, "start" | "end">;
  readonly secureElement: Pick<SecureElement, "state" | "amountStatus">;
  readonly audits: AuditLedger;
  readonly packages: Pick<Packages, "sendNext" | "repeatNext" | "sendRefusedAgain">;
  readonly settings: Pick<Settings, "auditShare" | "auditAge">;
}

/** Length of the block after `01000000` in the card's answer to Start Audit. */
const BLOCK_BYTES = 256;
/** Length of the proof of audit, which End Audit sends to the card. */
const PROOF_BYTES = 256;
const DAY_MS = 86_400_000;
/** ms after which the service requests a proof again if it has not arrived. */
const RENEW_MS = DAY_MS;

export class Audits {
  /** Ensures that two steps of an audit never run at the same time. */
  private readonly order = new Mutex();
  /** UIDs of cards that have refused a proof since their audit was started. */
  private readonly refused = new Set<string>();

  constructor(private readonly parts: AuditParts) {}

  /**
   * The audit's task in a round: sends packages, then does the next steps of the audit, then sends the sales of replaced
   * cards.
   * @throws AuthorityError, LedgerError
   */
  readonly task = async (round: Round): Promise<void> => {
    const { authority, identity, take, ended } = round;
    const { uid } = identity;
    const { packages } = this.parts;
    await this.sendAll(round, () => packages.sendNext(uid, authority));
    if (ended.aborted) return;
    await this.startAgain(uid);
    if (await this.isDue()) await this.begin(uid);
    await take(await this.request(uid, authority));
    await this.sendAll(round, () => packages.repeatNext(uid, authority));
    await this.sendOldCards(round);
  };

  /**
   * Sends the sales of replaced cards with the token of the card that replaced them. A package says which card signed it.
   * We do not know whether a real authority accepts this. If it refuses a package, the service sends the package again
   * each hour. A shop can also take the sales to the authority on a stick.
   */
  private async sendOldCards(round: Round): Promise<void> {
    const { authority, identity } = round;
    const { packages, audits } = this.parts;
    const { tin } = identity.taxpayer;
    for (const uid of await audits.cards()) {
      if (uid === identity.uid) continue;
      await this.sendAll(round, () => packages.sendNext(uid, authority, tin));
      await this.sendAll(round, () => packages.repeatNext(uid, authority, tin));
    }
  }

  /** Sends packages until there is none left, and executes the commands in the answers. */
  private async sendAll(
    { take, ended }: Round,
    sendNext: () => Promise<readonly AuthorityCommand[] | undefined>,
  ): Promise<void> {
    while (!ended.aborted) {
      const commands = await sendNext();
      if (!commands) return;
      this.parts.changed();
      if (commands.length > 0) await take(commands);
    }
  }

  /** Starts an audit on demand. An open audit continues, and its proof is requested again. @throws LedgerError */
  now(uid: string): Promise<AuditReply> {
    return this.order.run(async () => {
      const { audits, packages } = this.parts;
      await packages.sendRefusedAgain(uid);
      const open = await audits.openAudit(uid);
      if (open) await audits.commit([{ kind: "requested", id: open.id, at: null }]);
      const reply = open ? ({ kind: "audited" } as const) : await this.start(uid);
      // The audit may have ended in the meantime.
      if (reply.kind === "not-audited" || (await audits.openAudit(uid))) return reply;
      return { kind: "not-audited", why: "no-audit-open", reason: obstacleText("ended") };
    });
  }

  /** Executes command 5. @param bytes the proof of audit @throws LedgerError */
  readonly proof = (uid: string, bytes: Uint8Array): Promise<Execution> =>
    this.order.run(async () => {
      const { audits, turns } = this.parts;
      if (bytes.length !== PROOF_BYTES) {
        return { kind: "failed", reason: `a proof of audit has ${PROOF_BYTES} bytes, this one has ${bytes.length}` };
      }
      const audit = await audits.openAudit(uid);
      if (!audit) {
        // The service was killed after the audit had ended and before it recorded the command, or the command came twice.
        const isEnded = (await audits.lastAudit(uid))?.outcome === "ended";
        return isEnded ? { kind: "done" } : { kind: "failed", reason: "no audit is under way" };
      }
      const reply = await turns.end(audit, bytes);
      this.parts.changed();
      if (reply.kind === "audited") {
        this.parts.log.info({ uid, audit: audit.id }, "the card has accepted the proof of audit");
        return { kind: "done" };
      }
      if (reply.why === "blocked" || reply.why === "card") return { kind: "later", reason: reply.reason };
      // Keep the audit open: a later proof may belong to this audit, but cannot belong to a new one.
      if (reply.why === "bad-proof") this.refused.add(uid);
      return { kind: "failed", reason: reply.reason };
    });

  /** A new audit helps after a wrong proof of the authority, and after another program has started an audit. */
  private startAgain(uid: string): Promise<void> {
    return this.order.run(async () => {
      if (!this.refused.has(uid)) return;
      if ((await this.parts.audits.openAudit(uid)) && (await this.start(uid)).kind === "not-audited") return;
      this.refused.delete(uid);
    });
  }

  private begin(uid: string): Promise<void> {
    return this.order.run(async () => {
      if (await this.parts.audits.openAudit(uid)) return;
      const reply = await this.start(uid);
      if (reply.kind === "not-audited")
        this.parts.log.info({ uid, reason: reply.reason }, "an audit is due but cannot start yet");
    });
  }

  private async start(uid: string): Promise<AuditReply> {
    const reply = await this.parts.turns.start(uid);
    if (reply.kind === "audited") this.parts.log.info({ uid }, "an audit has started");
    this.parts.changed();
    return reply;
  }

  /** Requests the proof, once the authority has everything that the audit covers. @returns the commands in its answer */
  private async request(uid: string, authority: Pick<TaxAuthority, "requestProof">) {
    const { audits, clock } = this.parts;
    const audit = await audits.openAudit(uid);
    if (!audit || !(await this.isToRequest(audit))) return [];
    const { id, request, sum, limit } = audit;
    const commands = await authority.requestProof({ auditRequestPayload: auditBlock(request), sum, limit });
    // A proof that arrived meanwhile may have closed the audit.
    if ((await audits.openAudit(uid))?.id === id) await audits.commit([{ kind: "requested", id, at: clock.now() }]);
    this.parts.changed();
    return commands;
  }

  private async isToRequest({ uid, covers, requestedAt }: Audit): Promise<boolean> {
    const { audits, clock } = this.parts;
    // A negative age means that the clock was set back: request the proof again.
    const age = requestedAt === null ? RENEW_MS : clock.now() - requestedAt;
    if (age >= 0 && age < RENEW_MS) return false;
    const { sentTo } = await audits.progress(uid);
    const next = await audits.nextSale(uid, sentTo);
    return next === undefined || next.id > covers;
  }

  /** Whether an audit is due for the card in the reader, by its sum or the age of sales without a proof. */
  readonly isDue = async (): Promise<boolean> => {
    const { secureElement, audits, settings, clock } = this.parts;
    const { state } = secureElement;
    if (state.kind !== "ready" || state.pin !== "verified") return false;
    const { uid } = state.identity;
    if (await audits.openAudit(uid)) return false;
    const amount = await secureElement.amountStatus(uid);
    if (amount.kind !== "ok" || amount.sum === 0n) return false;
    if (reachesShare(amount, settings.auditShare)) return true;
    if (settings.auditAge === 0) return false;
    const { provenTo } = await audits.progress(uid);
    const oldest = await audits.nextSale(uid, provenTo);
    // A sale with a damaged intent counts as new.
    const soldAt = (oldest && contentOf(oldest)?.time) ?? Number.POSITIVE_INFINITY;
    return clock.now() - soldAt >= settings.auditAge * DAY_MS;
  };
}

/** The 256 bytes of the card's answer to Start Audit that the authority needs. */
export function auditBlock(request: Uint8Array): Uint8Array {
  return request.subarray(-BLOCK_BYTES);
}
