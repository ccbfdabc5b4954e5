/** Keeps the token. All callers share it: it is requested once and kept until it expires. */

export interface Token {
  readonly text: string;
  /** ms from now until the token expires. */
  readonly life: number;
}

/** ms before its end from which a token is no longer used, because a request takes time too. */
const MARGIN_MS = 60_000;
/**
 * Minimum time in ms for which a token is kept. Without it, clocks that differ could cause a token request before every
 * call. The authority answers an expired token with 401.
 */
const LEAST_MS = 60_000;

export class TokenKeeper {
  private kept: { readonly text: string; readonly until: number } | undefined;
  private asking: Promise<string> | undefined;

  /** @param now returns the ms since an arbitrary moment and never goes back */
  constructor(
    private readonly ask: () => Promise<Token>,
    private readonly now: () => number,
  ) {}

  /** Returns a valid token. Rejects if `ask` rejects. */
  get(): Promise<string> {
    if (this.kept && this.now() < this.kept.until) return Promise.resolve(this.kept.text);
    this.asking ??= this.renew().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  /** Drops a token that the authority refuses, unless a newer one has replaced it. */
  forget(text: string): void {
    if (this.kept?.text === text) this.kept = undefined;
  }

  private async renew(): Promise<string> {
    const { text, life } = await this.ask();
    this.kept = { text, until: this.now() + Math.max(LEAST_MS, life - MARGIN_MS) };
    return text;
  }
}
