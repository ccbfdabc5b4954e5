/** The table of all runs, as it stands in docs/reliability.md. */
import type { Plan } from "./plan.js";
import type { RunResult } from "./run.js";
import type { Torture } from "./tortures.js";

interface Row {
  readonly reality: Torture["reality"];
  runs: number;
  kills: number;
  signatures: number;
  failed: number;
}

export class Table {
  runs = 0;
  failed = 0;
  private twoAtOnce = 0;
  private kills = 0;
  private signatures = 0;
  private readonly byPos = new Map<number, number>();
  private readonly rows = new Map<string, Row>();

  add({ tortures, pos }: Plan, { violations, kills, signatures }: RunResult): void {
    const failed = violations.length > 0 ? 1 : 0;
    this.runs++;
    this.failed += failed;
    this.kills += kills;
    this.signatures += signatures;
    if (tortures.length > 1) this.twoAtOnce++;
    this.byPos.set(pos, (this.byPos.get(pos) ?? 0) + 1);
    for (const { name, reality } of tortures) {
      const row = this.rows.get(name) ?? { reality, runs: 0, kills: 0, signatures: 0, failed: 0 };
      this.rows.set(name, row);
      row.runs++;
      row.kills += kills;
      row.signatures += signatures;
      row.failed += failed;
    }
  }

  progress(seconds: number): string {
    const rate = ((this.runs / seconds) * 60).toFixed(1);
    return `${this.runs} runs, ${this.failed} failed, ${this.signatures} signatures, ${rate} runs a minute`;
  }

  text(seconds: number): string {
    const rows = [...this.rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const pos = [...this.byPos].toSorted(([a], [b]) => a - b).map(([count, runs]) => `${count} POS in ${runs}`);
    return [
      "",
      "| What goes wrong | Real? | Runs | Kills | Signatures | Failed |",
      "| --- | --- | ---: | ---: | ---: | ---: |",
      ...rows.map(
        ([name, row]) =>
          `| ${name} | ${row.reality} | ${row.runs} | ${row.kills} | ${row.signatures} | ${row.failed} |`,
      ),
      `| **all runs** | | ${this.runs} | ${this.kills} | ${this.signatures} | ${this.failed} |`,
      "",
      `Two at once in ${this.twoAtOnce} runs; ${pos.join(", ")} runs; ${Math.round(seconds)} s.`,
      "",
    ].join("\n");
  }
}
