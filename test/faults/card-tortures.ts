/** Faults of the card: pulled, reset, slow, used by other programs, and answers that were changed on their way. */
import { setTimeout as sleep } from "node:timers/promises";
import { encodeSignedHeader } from "../../src/fiscal/signing-header.js";
import { encodeCommand } from "../../src/secure-element/apdu/command.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { encodeSignRequest } from "../../src/secure-element/apdu/sign-format.js";
import { crashAt, NOT_DONE, oneSignature } from "./process-tortures.js";
import type { Run } from "./run.js";
import type { Exchange } from "./slot.js";
import type { Torture } from "./tortures.js";

/** Selecting, certificate and PIN come before the first sale; each sale takes at least one APDU. */
const LATEST_APDU = 30;
/** ms; the driver gives up after 10 s. */
const HANGS_MS = 11_000;
const STATUS_BYTES = 2;
/** No POS of the run sells for so little. */
const OTHERS_AMOUNT = 7n;

const ODD = [
  NOT_DONE,
  Uint8Array.of(0x90, 0x00),
  Uint8Array.of(0x67, 0x00),
  Buffer.concat([Buffer.alloc(577, 0xa5), Buffer.from([0x90, 0x00])]),
  Buffer.concat([Buffer.alloc(40, 0x11), Buffer.from([0x90, 0x00])]),
];

const asksLast = ({ ins }: Exchange) => ins === INS.lastSigned;

/** Flips one bit of the data, not of the status word. */
function flipped(run: Run): (answer: Uint8Array) => Uint8Array {
  const at = run.chance.between(0, 576);
  const mask = 1 << run.chance.between(0, 7);
  return (answer) => {
    const damaged = Uint8Array.from(answer);
    if (at < damaged.length - STATUS_BYTES) damaged[at] = (damaged[at] ?? 0) ^ mask;
    return damaged;
  };
}

function signForAnother(run: Run): Promise<void> {
  const time = Date.now();
  const header = encodeSignedHeader({
    time,
    tin: "100000001",
    buyerId: "",
    invoiceType: "Normal",
    transactionType: "Sale",
    totalAmount: OTHERS_AMOUNT as never,
  });
  const request = encodeSignRequest({ header, categories: [] });
  const command = { cla: 0x88, ins: INS.sign, p1: 4, p2: 0, data: request, le: 65_536 };
  return run.slot.signForAnother(encodeCommand(command));
}

function killedAndUnsure(run: Run): void {
  crashAt(run, run.chance.pick(["before", "after"] as const));
}

function pulledAt(run: Run, stage: "before" | "after"): void {
  const at = run.chance.between(1, LATEST_APDU);
  const isDue = ({ apdu }: Exchange) => apdu >= at;
  run.moments.once(stage, isDue, (_, { ins }) => {
    run.meanwhile(`pulled ${stage} APDU ${at} (INS ${ins.toString(16)})`, () => run.slot.pull());
    return stage === "before" ? NOT_DONE : undefined;
  });
}

export const CARD_TORTURES: readonly Torture[] = [
  {
    name: "card pulled at an APDU, before the card gets it",
    reality: "real",
    arm: (run) => pulledAt(run, "before"),
  },
  {
    name: "card pulled at an APDU, before its answer leaves it",
    reality: "real",
    arm: (run) => pulledAt(run, "after"),
  },
  {
    name: "card loses its sessions, as after a reset by another program",
    reality: "simulated",
    arm: (run) => {
      const at = run.chance.between(1, LATEST_APDU);
      const isDue = ({ apdu }: Exchange) => apdu >= at;
      run.moments.once("before", isDue, () => {
        run.note(`reset before APDU ${at}`);
        run.slot.reset();
      });
    },
  },
  {
    name: "card hangs for 11 s",
    reality: "simulated",
    arm: (run) => {
      run.moments.once(run.chance.pick(["before", "after"] as const), oneSignature(run), async () => {
        run.note("the card hangs");
        await sleep(HANGS_MS);
      });
    },
  },
  {
    name: "one bit of a signature flipped on its way",
    reality: "simulated",
    arm: (run) => run.moments.once("after", oneSignature(run), flipped(run)),
  },
  {
    name: "one bit flipped, and INS 15 repeats it",
    reality: "simulated",
    mayReport: true,
    alone: true,
    arm: (run) => {
      const flip = flipped(run);
      const isIt = oneSignature(run);
      let damaged = false;
      const signs = ({ signature }: Exchange) => signature > 0;
      run.moments.always("after", signs, (answer, exchange) => {
        damaged = isIt(exchange);
        return damaged ? flip(answer) : undefined;
      });
      run.moments.always("after", (exchange) => damaged && asksLast(exchange), flip);
    },
  },
  {
    name: "SIGKILL, then odd answers to INS 15",
    reality: "simulated",
    oddAnswers: true,
    alone: true,
    arm: (run) => {
      killedAndUnsure(run);
      let odd = run.chance.between(1, 6);
      const isOdd = (exchange: Exchange) => asksLast(exchange) && odd-- > 0;
      run.moments.always("after", isOdd, () => run.chance.pick(ODD));
    },
  },
  {
    name: "SIGKILL, and the card has no INS 15",
    reality: "real",
    mayReport: true,
    alone: true,
    profile: { lastSignedInvoice: false },
    arm: killedAndUnsure,
  },
  {
    name: "another program signs",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) => {
      run.moments.once("before", oneSignature(run), async () => {
        run.note("another program signs");
        await signForAnother(run);
      });
    },
  },
  {
    name: "SIGKILL, another program signs, and a new start",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) => {
      const stage = run.chance.pick(["before", "after"] as const);
      crashAt(run, stage, `killed ${stage} the signature; another program signs`, () => signForAnother(run));
    },
  },
  {
    name: "card forgets its last two signatures",
    reality: "simulated",
    mayReport: true,
    alone: true,
    arm: (run) => {
      const isFourth = ({ signature }: Exchange) => signature === 4;
      run.moments.once("before", isFourth, () => {
        run.crash("the card forgets", () => run.slot.forget(2));
        return NOT_DONE;
      });
    },
  },
];
