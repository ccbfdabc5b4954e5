import { afterEach, expect, it, vi } from "vitest";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { Silence } from "../../src/secure-element/silence.js";

afterEach(() => void vi.useRealTimers());

it("a card that works on a signature is not silent before a reader gives it up; any other command is after 2 s", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const changed = vi.fn();
  const silence = new Silence(changed);
  const states: unknown[] = [];
  const look = () => states.push([silence.state.silent, silence.state.signingSince]);
  for (const ins of [INS.sign, INS.amountStatus]) {
    let answer = (_: Uint8Array) => {};
    const channel = silence.over({
      transmit: () => new Promise((resolve) => (answer = resolve)),
      close: async () => undefined,
    });
    const exchange = channel.transmit(Uint8Array.of(0x88, ins, 4, 0));
    for (const ms of [1_999, 1, 7_999, 1]) {
      await vi.advanceTimersByTimeAsync(ms);
      look();
    }
    answer(Uint8Array.of(0x90, 0));
    await exchange;
    look();
  }
  const at = 1_000_000;
  expect(states).toEqual([
    ...[
      [false, undefined],
      [false, at],
      [false, at],
      [true, undefined],
      [false, undefined],
    ],
    ...[
      [false, undefined],
      [true, undefined],
      [true, undefined],
      [true, undefined],
      [false, undefined],
    ],
  ]);
  expect(changed).toHaveBeenCalledTimes(5);
});
