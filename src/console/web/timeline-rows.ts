/** Makes the rows of a timeline from the steps of a request. */
import type { TrafficRecord } from "../records/traffic.js";

export interface TimelineRow {
  readonly kind: "http" | "wait" | "disk" | "card" | "answer";
  readonly name: string;
  /** ms since the request came. */
  readonly from: number;
  readonly ms: number;
}

/** Keys of the texts that name the rows. */
export type TimelineName = "timelineHttp" | "timelineQueue" | "timelineDisk" | "timelineCard" | "answer";

/**
 * Returns the steps in the order of time. A further row is the time that the request waited before its first step on
 * the disk or the card; the last row is the time until the answer.
 */
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
