/** The steps of a request, in the order of a timeline. */
import type { TrafficRecord } from "../records/traffic.js";

export interface TimelineRow {
  readonly kind: "http" | "wait" | "disk" | "card" | "answer";
  readonly name: string;
  /** ms since the request came. */
  readonly from: number;
  readonly ms: number;
}

/** Keys of texts. */
export type TimelineName = "timelineHttp" | "timelineQueue" | "timelineDisk" | "timelineCard" | "answer";

/** The steps in their order, and between them the time in which the request waited for others or was computed. */
export function timelineOf(
  { steps, apdus, ms: total }: Pick<TrafficRecord, "steps" | "apdus" | "ms">,
  say: (name: TimelineName) => string,
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
