/** The token: one for everybody, asked for once, kept until it expires. */

export interface Token {
  readonly text: string;
  /** ms from now. */
  readonly life: number;
}

/** ms before its end from which a token is not used: the request needs time too. */
const MARGIN = 60_000;
/** ms: clocks that disagree must not make the service ask before every request. A token that is over answers 401. */
const LEAST = 60_000;

export class TokenKeeper {
  private kept: { readonly text: string; readonly until: number } | undefined;
  private asking: Promise<string> | undefined;

  /** @param now ms since any moment; a clock that is set must not move it */
  constructor(
    private readonly ask: () => Promise<Token>,
    private readonly now: () => number,
  ) {}

  /** Rejects as `ask` does. */
  get(): Promise<string> {
    if (this.kept && this.now() < this.kept.until) return Promise.resolve(this.kept.text);
    this.asking ??= this.renew().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  /** The authority refuses it. Another one, which came meanwhile, stays. */
  forget(text: string): void {
    if (this.kept?.text === text) this.kept = undefined;
  }

  private async renew(): Promise<string> {
    const { text, life } = await this.ask();
    this.kept = { text, until: this.now() + Math.max(LEAST, life - MARGIN) };
    return text;
  }
}
