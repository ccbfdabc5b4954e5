/** The table of all runs, as the run prints it. */
import type { Plan } from "./plan.js";
import type { RunResult } from "./run.js";
import type { Torture } from "./tortures.js";

interface Sum {
  runs: number;
  kills: number;
  signatures: number;
  failed: number;
}

interface Row extends Sum {
  readonly reality: Torture["reality"];
}

export class Table {
  private readonly all = none();
  private twoAtOnce = 0;
  private readonly byPos = new Map<number, number>();
  private readonly rows = new Map<string, Row>();

  /** @param texts results of {@link toJSON} from parallel parts */
  static ofParts(texts: readonly string[]): Table {
    const whole = new Table();
    for (const text of texts) whole.addPart(JSON.parse(text) as ReturnType<Table["toJSON"]>);
    return whole;
  }

  toJSON() {
    const { all, twoAtOnce } = this;
    return { all, twoAtOnce, byPos: [...this.byPos], rows: [...this.rows] };
  }

  get runs(): number {
    return this.all.runs;
  }

  get failed(): number {
    return this.all.failed;
  }

  add({ tortures, pos }: Plan, { violations, kills, signatures }: RunResult): void {
    const run: Sum = { runs: 1, failed: violations.length > 0 ? 1 : 0, kills, signatures };
    plus(this.all, run);
    if (tortures.length > 1) this.twoAtOnce++;
    this.addPos(pos, 1);
    for (const { name, reality } of tortures) this.addRow(name, { ...run, reality });
  }

  private addPart({ all, twoAtOnce, byPos, rows }: ReturnType<Table["toJSON"]>): void {
    plus(this.all, all);
    this.twoAtOnce += twoAtOnce;
    for (const [pos, runs] of byPos) this.addPos(pos, runs);
    for (const [name, row] of rows) this.addRow(name, row);
  }

  private addPos(pos: number, runs: number): void {
    this.byPos.set(pos, (this.byPos.get(pos) ?? 0) + runs);
  }

  private addRow(name: string, row: Row): void {
    const sum = this.rows.get(name) ?? { reality: row.reality, ...none() };
    this.rows.set(name, sum);
    plus(sum, row);
  }

  progress(seconds: number): string {
    const { runs, failed, signatures } = this.all;
    const rate = ((runs / seconds) * 60).toFixed(1);
    return `${runs} runs, ${failed} failed, ${signatures} signatures, ${rate} runs a minute`;
  }

  text(seconds: number): string {
    const rows = [...this.rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const pos = [...this.byPos].toSorted(([a], [b]) => a - b).map(([count, runs]) => `${count} POS in ${runs}`);
    const cells = ({ runs, kills, signatures, failed }: Sum) => `${runs} | ${kills} | ${signatures} | ${failed} |`;
    return [
      "",
      "| What goes wrong | Real? | Runs | Kills | Signatures | Failed |",
      "| --- | --- | ---: | ---: | ---: | ---: |",
      ...rows.map(([name, row]) => `| ${name} | ${row.reality} | ${cells(row)}`),
      `| **all runs** | | ${cells(this.all)}`,
      "",
      `Two at once in ${this.twoAtOnce} runs; ${pos.join(", ")} runs; ${Math.round(seconds)} s.`,
      "",
    ].join("\n");
  }
}

function none(): Sum {
  return { runs: 0, kills: 0, signatures: 0, failed: 0 };
}

function plus(sum: Sum, { runs, kills, signatures, failed }: Sum): void {
  sum.runs += runs;
  sum.kills += kills;
  sum.signatures += signatures;
  sum.failed += failed;
}
