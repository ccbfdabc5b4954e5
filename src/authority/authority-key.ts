/**
 * The tax authority's key, as each card exports it (INS 07). The store keeps the key, because packages are also made
 * when the card is gone.
 */
import type { KeyObject } from "node:crypto";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { publicKeyOf } from "./audit-package.js";

/** ms to wait after the PIN, because sales go first. */
const SOON_MS = 60_000;

export class AuthorityKeys {
  private readonly known = new Map<string, KeyObject>();
  private soon: NodeJS.Timeout | undefined;

  constructor(
    private readonly secureElement: Pick<SecureElement, "state" | "taxAuthorityKey">,
    private readonly audits: Pick<AuditLedger, "authorityKey" | "commit">,
    private readonly soonMs = SOON_MS,
  ) {}

  /**
   * Reads the key while the card is in the reader. The card's sales can then be exported later, even if no sale was
   * sent meanwhile.
   */
  readonly remember = (): void => {
    const { state } = this.secureElement;
    if (state.kind !== "ready" || state.pin !== "verified" || this.known.has(state.identity.uid)) return;
    const { uid } = state.identity;
    clearTimeout(this.soon);
    // If reading fails, the next right PIN starts another attempt.
    this.soon = setTimeout(() => void this.of(uid).catch(() => undefined), this.soonMs).unref();
  };

  /**
   * Returns the authority's key for a card.
   * @returns undefined if the key was never read and the card is not in the reader now
   * @throws LedgerError
   */
  async of(uid: string): Promise<KeyObject | undefined> {
    const known = this.known.get(uid) ?? (await this.asked(uid)) ?? (await this.stored(uid));
    if (known) this.known.set(uid, known);
    return known;
  }

  private async asked(uid: string): Promise<KeyObject | undefined> {
    const { state } = this.secureElement;
    if (state.kind !== "ready" || state.identity.uid !== uid) return undefined;
    const { session } = state;
    const answer = await this.secureElement.taxAuthorityKey();
    const after = this.secureElement.state;
    // Another card may have been inserted meanwhile, so the key may be that of another card.
    if (answer.kind !== "ok" || after.kind !== "ready" || after.session !== session) return undefined;
    const key = publicKeyOf(answer.bytes);
    await this.audits.commit([{ kind: "key", uid, key: answer.bytes }]);
    return key;
  }

  private async stored(uid: string): Promise<KeyObject | undefined> {
    const stored = await this.audits.authorityKey(uid);
    return stored && publicKeyOf(stored);
  }
}
