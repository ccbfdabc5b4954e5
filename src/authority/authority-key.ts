/** The authority's key, as each card exports it (INS 07). The store keeps it for packages without the card. */
import type { KeyObject } from "node:crypto";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { publicKeyOf } from "./audit-package.js";

export class AuthorityKeys {
  private readonly known = new Map<string, KeyObject>();
  /** Cards whose key is in the store, or is being read. */
  private readonly remembered = new Set<string>();

  constructor(
    private readonly secureElement: Pick<SecureElement, "state" | "taxAuthorityKey">,
    private readonly audits: Pick<AuditLedger, "authorityKey" | "commit">,
  ) {}

  /**
   * Reads the key of a card whose key the store does not have yet, as soon as its PIN is verified: its sales can then be
   * exported without the card. If reading fails, the next right PIN starts another attempt.
   */
  readonly remember = (): void => {
    const { state } = this.secureElement;
    if (state.kind !== "ready" || state.pin !== "verified") return;
    const { uid } = state.identity;
    if (this.remembered.has(uid)) return;
    this.remembered.add(uid);
    void this.audits
      .authorityKey(uid)
      .then(async (key) => key !== undefined || (await this.of(uid)) !== undefined)
      .catch(() => false)
      .then((isStored) => isStored || this.remembered.delete(uid));
  };

  /** @returns undefined if the key was never read and the card is not in the reader now @throws LedgerError */
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
