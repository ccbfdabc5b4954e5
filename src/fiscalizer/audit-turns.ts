/** Puts Start Audit and End Audit between the sales, because the card does only one thing at a time. */
import type { Audit } from "../ledger/audit-ledger.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { obstacleText } from "./protocol/audit-obstacles.js";
import type { Asker, AuditStep, Event, Reply } from "./protocol/state.js";
import { replyError } from "./replies.js";

/** The reply to a turn. After `not-audited`, nothing has changed, except that an audit unknown to the card is closed. */
export type AuditReply = ReplyOf<"audited" | "not-audited">;

type ReplyOf<K extends Reply["kind"]> = Extract<Reply, { kind: K }>;

/**
 * Number of waiting sales that go before a use of the card's key. There is a limit because sales that never pause must
 * not block the connection to the authority.
 */
const SALES_BEFORE_KEY = 10;

/** Puts an event into the protocol and resolves with its reply. */
type Ask = (event: (asker: Asker) => Event) => Promise<Reply>;

export class AuditTurns {
  constructor(
    private readonly secureElement: SecureElement,
    private readonly ask: Ask,
  ) {}

  /** Sends Start Audit if no sale is in doubt, for all stored sales. @throws FiscalError 1999 if the ledger fails */
  start(uid: string): Promise<AuditReply> {
    return this.take("audited", uid, { kind: "start" });
  }

  /**
   * Sends End Audit to the card if no sale is in doubt. @param proof 256 bytes
   * @throws FiscalError 1999 if the ledger fails; the card may have accepted the proof, so the caller sends it again
   */
  end({ id: audit, uid, proofSent }: Audit, proof: Uint8Array): Promise<AuditReply> {
    return this.take("audited", uid, { kind: "end", audit, proofSent, proof });
  }

  /**
   * Runs a task with the card's PKI applet between two sales, after at most {@link SALES_BEFORE_KEY} waiting sales. The
   * service compares card and ledger before the next signature, because the task ends in another session of the card.
   * @returns undefined if this card is not in the reader or cannot be used
   */
  async useKey<T>(uid: string, use: () => Promise<T>): Promise<T | undefined> {
    let outcome: Promise<T> | undefined;
    const task = () => {
      outcome = use();
      return outcome;
    };
    await this.take("key-used", uid, { kind: "key", salesFirst: SALES_BEFORE_KEY, task });
    return outcome;
  }

  private async take<K extends "audited" | "key-used">(
    done: K,
    uid: string,
    step: AuditStep,
  ): Promise<ReplyOf<"not-audited"> | ReplyOf<K>> {
    const { state } = this.secureElement;
    if (state.kind !== "ready" && state.kind !== "no-card") {
      return { kind: "not-audited", why: "card", reason: state.reason };
    }
    if (state.kind === "no-card" || state.identity.uid !== uid) {
      return { kind: "not-audited", why: "card", reason: obstacleText("no-card") };
    }
    const { session } = state;
    const reply = await this.ask((asker) => ({ kind: "audit", audit: { ...step, ...asker, uid, session } }));
    if (reply.kind === "not-audited") {
      // Without its PIN the card does not say what it has signed last.
      const needsPin = reply.reason === obstacleText("not-compared") && state.pin === "required";
      return needsPin ? { ...reply, reason: obstacleText("pin") } : reply;
    }
    if (reply.kind === done) return reply as ReplyOf<K>;
    throw replyError(reply, state, true);
  }
}
