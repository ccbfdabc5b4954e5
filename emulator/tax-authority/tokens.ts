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
  /** The last token of each UID. */
  private readonly issued = new Map<string, Token>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** Returns the same token for a UID until the token expires, then a new one. */
  issue(uid: string): Token {
    const known = this.issued.get(uid);
    if (known && this.isValid(known)) return known;
    const token = Buffer.from(this.random.bytes(TOKEN_BYTES)).toString("base64url");
    const issued = { token, expiresAt: this.clock.now() + TOKEN_LIFE_MS };
    this.issued.set(uid, issued);
    return issued;
  }

  /** Returns the UID for which a token was issued; undefined if the token is unknown or has expired. */
  uidOf(token: string): string | undefined {
    return [...this.issued].find(([, known]) => known.token === token && this.isValid(known))?.[0];
  }

  expireAll(): void {
    this.issued.clear();
  }

  private isValid({ expiresAt }: Token): boolean {
    return expiresAt > this.clock.now();
  }
}
