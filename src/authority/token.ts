/** The token: shared by all callers, requested once, kept until it expires. */

export interface Token {
  readonly text: string;
  /** ms from now. */
  readonly life: number;
}

/** ms before its end from which a token is no longer used: the request takes time too. */
const MARGIN = 60_000;
/**
 * Minimum life of a token in ms: clocks that disagree must not cause a token request before every call. An expired
 * token is answered with 401.
 */
const LEAST = 60_000;

export class TokenKeeper {
  private kept: { readonly text: string; readonly until: number } | undefined;
  private asking: Promise<string> | undefined;

  /** @param now ms since an arbitrary moment; monotonic */
  constructor(
    private readonly ask: () => Promise<Token>,
    private readonly now: () => number,
  ) {}

  /** Rejects if `ask` does. */
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
    this.kept = { text, until: this.now() + Math.max(LEAST, life - MARGIN) };
    return text;
  }
}
