/** Runs `tillseal load`. */

import { linesText } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { PROFILE_SCHEMA } from "../card/profile.js";
import { knownFrom } from "../conformance/known.js";
import { get, jsonIn, post } from "../conformance/session.js";
import { type LoadCounts, type LoadResult, load } from "../load/load.js";
import { type SampleType, sampleInvoices } from "../sample/sample-invoices.js";
import { openForeignStage } from "../scenario/foreign-stage.js";
import type { Allowed } from "../scenario/risk.js";
import type { Stage } from "../scenario/stage.js";

export interface RunLoad {
  readonly baseUrl: string;
  readonly allowed: Allowed;
  /** Invoices per second. */
  readonly rate: number | undefined;
  /** ms that the run takes. */
  readonly duration: number;
  readonly seed: string;
  readonly signal: AbortSignal;
  /** Called with the progress, at most once per second. */
  readonly progress: (text: string) => void;
}

const TRAINING: readonly SampleType[] = ["training-sale"];
const REAL: readonly SampleType[] = ["normal-sale", "advance-sale", "proforma-sale", "training-sale"];

/**
 * Runs the load against a service.
 * @throws UserError if the service cannot be reached, refuses the PIN or has no rates
 */
export async function runLoad(options: RunLoad): Promise<LoadResult> {
  const { baseUrl, allowed, rate, duration, seed, signal, progress } = options;
  const stage = await openForeignStage({ baseUrl, allowed })(NOTHING_GIVEN);
  const { rates } = knownFrom(await asked(stage, options), undefined);
  if (rates.length === 0) throw nothingSent("its status shows no tax rates, and without labels there is no invoice");
  const count = Number.MAX_SAFE_INTEGER;
  const types = allowed.issueRealReceipts ? REAL : TRAINING;
  const invoices = sampleInvoices({ count, seed, types, environment: { taxRates: rates } });
  let shown = 0;
  const answered = (sofar: LoadCounts) => {
    if (sofar.ms - shown < 1_000) return;
    shown = sofar.ms;
    progress(progressText(sofar));
  };
  return load({ baseUrl, allowed, invoices, rate, duration, signal, answered });
}

const NOTHING_GIVEN = { file: "", name: "load", tags: [], given: {}, steps: [], lines: [] };

/** Verifies the PIN if the user gave a PIN, and reads the status. */
async function asked(stage: Stage, { baseUrl, allowed }: RunLoad): Promise<unknown> {
  const call = (request: Parameters<Stage["call"]>[0]) =>
    stage.call(request).catch((error: unknown) => {
      const reason = messageOf(error);
      throw nothingSent(`the service at ${baseUrl} cannot be reached: ${reason}`);
    });
  if (allowed.pin !== undefined) {
    const answer = await call(post("/pin", PROFILE_SCHEMA.properties.pin.default, { "Content-Type": "text/plain" }));
    if (!answer?.text.includes("0100")) throw nothingSent("the service refused the PIN of --pin");
  }
  const status = await call(get("/status"));
  return status && jsonIn(status);
}

function nothingSent(why: string): UserError {
  return new UserError(`no invoice was sent: ${why}`, EXIT.nothingPlayed);
}

const perSecond = (result: LoadCounts) => `${result.throughput.toFixed(1)} a second`;

function progressText(sofar: LoadCounts): string {
  const failed = sofar.sent - sofar.signed;
  return `${Math.round(sofar.ms / 1000)} s: ${sofar.signed} signed, ${perSecond(sofar)}, ${failed} open or failed`;
}

/** Writes throughput, percentiles and failures, each on a line. */
export function loadText(result: LoadResult): string {
  const { sent, signed, held, failures, ms, latency } = result;
  const lines = [
    `${signed} of ${sent} invoices signed in ${(ms / 1000).toFixed(1)} s: ${perSecond(result)}`,
    ...(latency
      ? [
          `ms to the answer: ${Object.entries(latency)
            .map(([name, time]) => `${name} ${time.toFixed(1)}`)
            .join(", ")}`,
        ]
      : []),
    ...Object.entries(failures).map(([why, count]) => `${count} not signed: ${why}`),
    ...(held === 0 ? [] : [`${held} not sent: too many others waited for their answer`]),
  ];
  return linesText(lines);
}
