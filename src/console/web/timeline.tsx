/** A request as a timeline: HTTP, queue, disk, each exchange with the card, answer. */
import type { TrafficRecord } from "../records/traffic.js";
import { type Speech, useSpeech } from "./texts.js";

export interface TimelineRow {
  readonly kind: "http" | "wait" | "disk" | "card" | "answer";
  readonly name: string;
  /** ms since the request came. */
  readonly from: number;
  readonly ms: number;
}

/** The steps in their order, and between them the time in which the request waited for others or was computed. */
export function timelineOf(
  { steps, apdus, ms: total }: Pick<TrafficRecord, "steps" | "apdus" | "ms">,
  { say }: Pick<Speech, "say">,
): readonly TimelineRow[] {
  const names = { body: say("timelineHttp"), disk: say("timelineDisk") };
  let exchanges = 0;
  const rows: TimelineRow[] = steps.map(({ kind, from, ms }) =>
    kind === "card"
      ? { kind, name: apdus[exchanges++]?.operation ?? say("timelineCard"), from, ms }
      : { kind: kind === "body" ? "http" : "disk", name: names[kind], from, ms },
  );
  const sorted = rows.toSorted((one, other) => one.from - other.from);
  const first = sorted.find(({ kind }) => kind === "disk" || kind === "card");
  const read = sorted.find(({ kind }) => kind === "http");
  const begun = read ? read.from + read.ms : 0;
  if (first && first.from > begun) {
    const wait = { kind: "wait", name: say("timelineQueue"), from: begun, ms: first.from - begun } as const;
    sorted.splice(sorted.indexOf(first), 0, wait);
  }
  const worked = Math.max(0, ...sorted.map(({ from, ms }) => from + ms));
  if (total > worked) sorted.push({ kind: "answer", name: say("answer"), from: worked, ms: total - worked });
  return sorted;
}

/** For people who cannot see the bars, each row has its times as text. */
export function Timeline({ entry }: { readonly entry: TrafficRecord }) {
  const speech = useSpeech();
  const { say, language } = speech;
  const rows = timelineOf(entry, speech);
  const whole = Math.max(1, ...rows.map(({ from, ms }) => from + ms));
  const tenths = (ms: number) => ms.toLocaleString(language, { maximumFractionDigits: 1 });
  return (
    <table class="timeline">
      <caption>{say("timeline")}</caption>
      <thead class="unseen">
        <tr>
          <th scope="col">{say("timelineStep")}</th>
          <th scope="col">{say("time")}</th>
          <th scope="col">ms</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, name, from, ms }, i) => (
          <tr key={i}>
            <th scope="row">{name}</th>
            <td>
              <svg viewBox={`0 0 ${whole} 1`} preserveAspectRatio="none" aria-hidden="true">
                <rect class={kind} x={from} width={Math.max(ms, whole / 200)} height="1" />
              </svg>
            </td>
            <td class="number">{tenths(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
