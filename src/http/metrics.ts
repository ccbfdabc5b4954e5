/**
 * Makes the content of /metrics in Prometheus' text format, version 0.0.4 (docs/decisions/README.md). Counters begin with
 * the process; all else is the state at the time of the request.
 */
import { buildOf } from "../base/build.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { PACKAGE_VERSION } from "../base/package-root.js";
import { toDecimalText } from "../fiscal/money.js";
import { certificateOf } from "../state/conditions.js";
import type { ServiceState } from "../state/service-state.js";
import { missingToSell } from "../state/status-codes.js";
import type { RequestFacts } from "./request-facts.js";

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const BUILD = buildOf();
const SECONDS_A_DAY = 86_400;

interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
}

interface Sample {
  /** Suffix of the metric's name, such as `_bucket` of a histogram. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

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
    "time of the oldest sale that the tax authority does not have and that was not exported to a stick; absent if the store knows of none",
  ),
  unsentLimit: gauge("tillseal_unsent_sales_limit", "the setting unsentLimit"),
  disk: gauge("tillseal_disk_free_bytes", "bytes that are free for the data folder"),
  clock: gauge(
    "tillseal_clock_ahead_seconds",
    "seconds by which the clock is ahead of the time server's; negative if it is behind",
  ),
  backup: gauge(
    "tillseal_last_good_backup_timestamp_seconds",
    "when the last good scheduled backup was made; 0 if the setting backupFolder is set and none is known",
  ),
};

/** Upper bounds of the histograms in s. A card signs in about 0.4 s. */
const BOUNDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 5, 10, 30];

/** The values that the metrics show besides {@link ServiceState}. */
export interface Measured {
  readonly queued: number;
  readonly queueLimit: number;
  /** Time of the last good backup, 0 if there is none; undefined if no backups are scheduled. */
  readonly lastBackup: EpochMs | undefined;
}

class Counter {
  private readonly counts = new Map<string, number>();

  add(code: string): void {
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
  }

  get samples(): Sample[] {
    return [...this.counts].map(([code, value]) => ({ labels: { code }, value }));
  }
}

class Histogram {
  /** Number of durations up to each bound but above the bound before it; the last count is for longer ones. */
  private readonly counts: number[];
  private sum = 0;

  /** @param bounds upper bounds of the durations in s, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = [...bounds.map(() => 0), 0];
  }

  add(seconds: number): void {
    const at = this.bounds.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? this.bounds.length : at;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }

  get samples(): Sample[] {
    let count = 0;
    const buckets = [...this.bounds, Number.POSITIVE_INFINITY].map((bound, i) => {
      count += this.counts[i] ?? 0;
      return { suffix: "_bucket", labels: { le: shown(bound) }, value: count };
    });
    return [...buckets, { suffix: "_sum", value: this.sum }, { suffix: "_count", value: count }];
  }
}

export class Metrics {
  private readonly answers = new Counter();
  private readonly repeats = new Counter();
  private readonly saleSeconds = new Histogram(BOUNDS);
  private readonly cardSeconds = new Histogram(BOUNDS);

  /** Counts an answered POST of an invoice. */
  answered({ code, replayed, ms }: Pick<RequestFacts, "code" | "replayed" | "ms">): void {
    // An interrupted answer has no code.
    (replayed ? this.repeats : this.answers).add(code ?? "");
    this.saleSeconds.add(ms / 1000);
  }

  signed(ms: number): void {
    this.cardSeconds.add(ms / 1000);
  }

  text(service: ServiceState, { queued, queueLimit, lastBackup }: Measured): string {
    const { amount, findings, codes, makerCodes, unsent, oldestUnsent, unsentLimit, freeBytes, clockCheck } = service;
    const certificate = certificateOf(service);
    const samples: Readonly<Record<keyof typeof METRICS, readonly Sample[]>> = {
      build: [{ labels: { version: PACKAGE_VERSION, build: BUILD }, value: 1 }],
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

/** A metric as text. It is empty without samples, because an unknown value must not be shown as 0. */
function exposed({ name, type, help }: Metric, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${shownLabels(labels)} ${shown(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function shownLabels(labels: Readonly<Record<string, string>>): string {
  const escaped = (value: string) => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function shown(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);
}
