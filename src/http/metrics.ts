/** Makes the content of /metrics. Counters begin with the process; all else is the state at the time of the request. */
import type { EpochMs } from "../base/epoch-ms.js";
import { toDecimalText } from "../fiscal/money.js";
import { certificateOf } from "../state/conditions.js";
import type { ServiceState } from "../state/service-state.js";
import { missingToSell } from "../state/status-codes.js";
import { Counter, exposed, Histogram, type Metric, type Sample } from "./exposition.js";
import type { RequestFacts } from "./request-facts.js";

const SECONDS_A_DAY = 86_400;

const metricOf = (type: Metric["type"]) => (name: string, help: string) => ({ name, type, help });
const counter = metricOf("counter");
const gauge = metricOf("gauge");
const histogram = metricOf("histogram");

/** Lists all metrics. The text of /metrics and the documentation read this list. */
export const METRICS = {
  build: gauge("tillseal_build_info", "version and build of this service; always 1"),
  answers: counter("tillseal_sale_answers_total", "answers to posted invoices by code; 0000 for a signed one"),
  repeats: counter("tillseal_sale_repeats_total", "answers that were a receipt of an earlier request, by code"),
  saleSeconds: histogram("tillseal_sale_seconds", "seconds until the answer to a posted invoice was sent"),
  cardSeconds: histogram("tillseal_card_sign_seconds", "seconds that the card took to sign, also if it did not sign"),
  queue: gauge("tillseal_queued_sales", "sales that wait for the card or are at work"),
  queueLimit: gauge("tillseal_queued_sales_limit", "the setting queueLength"),
  ready: gauge("tillseal_ready", "1 if a sale would be signed now, a full queue aside, as /ready reports it"),
  findings: gauge(
    "tillseal_finding",
    "1 for each finding of this till; severity stops, waits (for the PIN, or for a moment) or warns",
  ),
  codes: gauge("tillseal_status_code", "1 for each code in gsc and mssc of status"),
  sum: gauge("tillseal_card_amount", "amount that the card has signed since the last audit"),
  limit: gauge("tillseal_card_amount_limit", "amount up to which the card signs without an audit"),
  certificate: gauge(
    "tillseal_card_certificate_left_seconds",
    "whole days, in seconds, until the card's certificate ends; negative once it has ended",
  ),
  unsent: gauge("tillseal_unsent_sales", "sales of the card that no proof of audit covers"),
  oldestUnsent: gauge(
    "tillseal_oldest_unsent_sale_timestamp_seconds",
    "time of the oldest sale that the tax authority does not have and that is on no stick; absent if there is none",
  ),
  unsentLimit: gauge("tillseal_unsent_sales_limit", "the setting unsentLimit"),
  disk: gauge("tillseal_disk_free_bytes", "bytes that are free for the data folder"),
  clock: gauge(
    "tillseal_clock_ahead_seconds",
    "seconds by which the clock is ahead of the time server's; negative if it is behind",
  ),
  backup: gauge(
    "tillseal_last_good_backup_timestamp_seconds",
    "when the last good scheduled backup was made; 0 if the setting backupFolder is set and there is none",
  ),
};

/** Upper bounds of the histograms in s. A card signs in about 0.4 s. */
const BOUNDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 5, 10, 30];

/** The values that the metrics show besides {@link ServiceState}. */
export interface Measured {
  readonly version: string;
  readonly build: string;
  readonly queued: number;
  readonly queueLimit: number;
  readonly unsentLimit: number;
  /** Time of the last good backup, 0 if there is none; undefined if no backups are scheduled. */
  readonly lastBackup: EpochMs | undefined;
}

export class Metrics {
  private readonly answers = new Counter("code");
  private readonly repeats = new Counter("code");
  private readonly saleSeconds = new Histogram(BOUNDS);
  private readonly cardSeconds = new Histogram(BOUNDS);

  /** Counts an answered POST of an invoice. */
  answered({ code, replayed, ms }: Pick<RequestFacts, "code" | "replayed" | "ms">): void {
    // An interrupted answer has no code.
    (replayed ? this.repeats : this.answers).add(code ?? "");
    this.saleSeconds.add(ms / 1000);
  }

  /** Counts a signature. @param ms time that the card took to sign */
  signed(ms: number): void {
    this.cardSeconds.add(ms / 1000);
  }

  /** @returns the text of /metrics */
  text(service: ServiceState, { version, build, queued, queueLimit, unsentLimit, lastBackup }: Measured): string {
    const { amount, findings, codes, makerCodes, unsent, oldestUnsent, freeBytes, clockCheck } = service;
    const certificate = certificateOf(service);
    const samples: Readonly<Record<keyof typeof METRICS, readonly Sample[]>> = {
      build: [{ labels: { version, build }, value: 1 }],
      answers: this.answers.samples,
      repeats: this.repeats.samples,
      saleSeconds: this.saleSeconds.samples,
      cardSeconds: this.cardSeconds.samples,
      queue: known(queued),
      queueLimit: known(queueLimit),
      ready: known(missingToSell(findings).length === 0 ? 1 : 0),
      findings: findings.map(({ key, code, severity }) => ({ labels: { finding: key, code, severity }, value: 1 })),
      codes: [...codes, ...makerCodes].map((code) => ({ labels: { code }, value: 1 })),
      sum: known(amount && Number(toDecimalText(amount.sum))),
      limit: known(amount && Number(toDecimalText(amount.limit))),
      certificate: known(certificate && certificate.daysLeft * SECONDS_A_DAY),
      unsent: known(unsent),
      oldestUnsent: known(oldestUnsent && oldestUnsent / 1000),
      unsentLimit: known(unsentLimit),
      disk: known(freeBytes),
      clock: known(clockCheck?.ahead === undefined ? undefined : clockCheck.ahead / 1000),
      backup: known(lastBackup === undefined ? undefined : lastBackup / 1000),
    };
    const names = Object.keys(METRICS) as (keyof typeof METRICS)[];
    return names.map((name) => exposed(METRICS[name], samples[name])).join("");
  }
}

function known(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ value }];
}
