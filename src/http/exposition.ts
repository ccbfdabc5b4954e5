/** Writes metrics in Prometheus' text format, version 0.0.4 (docs/decisions/README.md). */

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
}

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Suffix of the metric's name, such as `_bucket` of a histogram. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** A metric as text. It is empty without samples, because an unknown value must not be shown as 0. */
export function exposed({ name, type, help }: Metric, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) => `${name}${suffix}${shownLabels(labels)} ${shown(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function shownLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function shown(value: number): string {
  return value === Number.POSITIVE_INFINITY ? "+Inf" : String(value);
}

/** Counts events by the value of one label. */
export class Counter {
  private readonly counts = new Map<string, number>();

  constructor(private readonly label: string) {}

  add(value: string): void {
    this.counts.set(value, (this.counts.get(value) ?? 0) + 1);
  }

  get samples(): Sample[] {
    return [...this.counts].map(([value, count]) => ({ labels: { [this.label]: value }, value: count }));
  }
}

/** Counts durations in a histogram. */
export class Histogram {
  /** Number of durations up to each bound but above the bound before it; the last count is for longer ones. */
  private readonly counts: number[];
  private sum = 0;

  /** @param bounds upper bounds of the durations in s, ascending */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = [...bounds.map(() => 0), 0];
  }

  /** Counts a duration. @param seconds the duration */
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
