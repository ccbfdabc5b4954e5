/**
 * Actions of the tax authority on the card in the reader: audits, directives, and the acts of {@link AuthorityAct}. If
 * the world has an authority, the actions pass through the service, as in a shop. Otherwise they go to the card
 * directly.
 */
import type { BytesOutcome } from "../../src/secure-element/secure-element.js";
import type { EmulatedCard } from "../card/emulated-card.js";
import type { DirectiveAction } from "../pki/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../pki/keys.js";
import { type AuditOutcome, DirectAudits } from "../tax-authority/direct-audits.js";
import type { AuthorityAct, AuthorityStatus } from "./authority-act.js";
import { AuthorityActions, type AuthorityWorld } from "./authority-actions.js";

const { authorityPrivateKey } = loadKeys(FIXTURE_KEYS);

export interface AuditedWorld extends AuthorityWorld {
  readonly card: EmulatedCard | undefined;
}

export class WorldAudits {
  private readonly actions: AuthorityActions;
  private readonly direct: DirectAudits;

  constructor(private readonly world: AuditedWorld) {
    this.actions = new AuthorityActions(world);
    const uid = () => world.card?.profile.uid;
    this.direct = new DirectAudits({ element: () => world.service.secureElement, uid, authorityPrivateKey });
  }

  /** The card's answer at the start of a direct audit that may still be open. */
  get request(): Uint8Array | undefined {
    return this.direct.request;
  }

  /**
   * Performs an act.
   * @throws UserError with the reason if the act is not possible, ConfigError if its environment cannot be used
   */
  act(act: AuthorityAct): Promise<void> {
    return this.actions.act(act);
  }

  /** Returns the authority's data about the card; undefined if the world has no authority. */
  status(): AuthorityStatus | undefined {
    return this.actions.status();
  }

  /** Runs a whole audit of the card in the reader. */
  async audit(): Promise<AuditOutcome> {
    if (!this.world.taxAuthority) return this.direct.audit();
    await this.actions.audit(true);
    return this.prove();
  }

  /** Starts an audit. Sales may continue until {@link end}. */
  async start(): Promise<BytesOutcome> {
    if (!this.world.taxAuthority) return this.direct.start();
    await this.actions.audit(false);
    return { kind: "ok", bytes: new Uint8Array() };
  }

  /** Ends the audit that {@link start} began, with the authority's proof. */
  end(): Promise<AuditOutcome> {
    return this.world.taxAuthority ? this.prove() : this.direct.end();
  }

  /** Sends the authority's directive to the card in the reader. */
  async directive(action: DirectiveAction): Promise<BytesOutcome> {
    const { taxAuthority, uid } = this.world;
    if (!taxAuthority) return this.direct.directive(action);
    taxAuthority.office.direct(uid, action);
    await this.world.service.talkToAuthority();
    return { kind: "ok", bytes: new Uint8Array() };
  }

  /**
   * Prepares the audits for a world that has begun again: deletes the files on the stick, and replaces the open direct
   * audit.
   * @param request the card's answer at the start of the direct audit that is open in the new world; undefined if no
   * audit is open
   */
  renew(request?: Uint8Array): void {
    this.actions.close();
    this.direct.request = request;
  }

  close(): void {
    this.actions.close();
  }

  private async prove(): Promise<AuditOutcome> {
    return { kind: (await this.actions.prove()) ? "accepted" : "no-audit-open" };
  }
}
