/** Actions at chosen moments of an exchange between service and card. */
import type { Exchange, Hooks } from "./slot.js";

export type Stage = "before" | "during" | "after";
/** A result replaces the card's answer. */
type Act = (answer: Uint8Array, exchange: Exchange) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

interface Moment {
  readonly stage: Stage;
  readonly when: (exchange: Exchange) => boolean;
  readonly act: Act;
}

export class Moments {
  readonly hooks: Hooks = {
    before: (exchange) => this.act("before", exchange),
    during: (exchange) => void this.act("during", exchange),
    after: (exchange, answer) => this.act("after", exchange, answer),
  };
  private readonly all: Moment[] = [];

  once(stage: Stage, when: (exchange: Exchange) => boolean, act: Act): void {
    let done = false;
    const first = (exchange: Exchange) => !done && when(exchange);
    this.always(stage, first, (answer, exchange) => {
      done = true;
      return act(answer, exchange);
    });
  }

  always(stage: Stage, when: (exchange: Exchange) => boolean, act: Act): void {
    this.all.push({ stage, when, act });
  }

  private async act(stage: Stage, exchange: Exchange, answer?: Uint8Array): Promise<Uint8Array | undefined> {
    let leaves = answer;
    for (const { when, act } of this.all.filter((one) => one.stage === stage)) {
      if (when(exchange)) leaves = (await act(leaves ?? new Uint8Array(), exchange)) ?? leaves;
    }
    return leaves;
  }
}
