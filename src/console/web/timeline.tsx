/** Shows a request as a timeline: HTTP, queue, disk, each exchange with the card, answer. */
import type { TrafficRecord } from "../records/traffic.js";
import { useSpeech } from "./texts.js";
import { timelineOf } from "./timeline-rows.js";

/** Shows the timeline. Each row also has its times as text, for people who cannot see the bars. */
export function Timeline({ entry }: { readonly entry: TrafficRecord }) {
  const { say, language } = useSpeech();
  const rows = timelineOf(entry, say);
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
