/** Tokens identify a client after it has presented its certificate once (protocol facts, section 8). */

import type { Clock } from "../../src/base/clock.js";
import type { EpochMs } from "../../src/base/epoch-ms.js";
import type { Random } from "../../src/base/random.js";

/** How long a token is valid: 8 hours, in ms. */
const TOKEN_LIFE_MS = 8 * 3_600_000;
const TOKEN_BYTES = 32;

export interface Token {
  readonly token: string;
  readonly expiresAt: EpochMs;
}

export class Tokens {
  private readonly issued = new Map<string, { readonly uid: string; readonly expiresAt: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the same token for a UID until the token expires, then a new one. */
  issue(uid: string): Token {
    this.forgetExpired();
    const known = [...this.issued].find(([, holder]) => holder.uid === uid);
    if (known) return { token: known[0], expiresAt: known[1].expiresAt };
    const token = Buffer.from(this.random.bytes(TOKEN_BYTES)).toString("base64url");
    const expiresAt = this.clock.now() + TOKEN_LIFE_MS;
    this.issued.set(token, { uid, expiresAt });
    return { token, expiresAt };
  }

  /** Returns the UID for which a token was issued; undefined if the token is unknown or has expired. */
  uidOf(token: string): string | undefined {
    const known = this.issued.get(token);
    return known && known.expiresAt > this.clock.now() ? known.uid : undefined;
  }

  expireAll(): void {
    this.issued.clear();
  }

  private forgetExpired(): void {
    for (const [token, { expiresAt }] of this.issued) if (expiresAt <= this.clock.now()) this.issued.delete(token);
  }
}
