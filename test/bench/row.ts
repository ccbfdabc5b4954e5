/** Results of the benchmark: one row for each thing that has to be fast or small. */

export interface Row {
  readonly name: string;
  /** Undefined when it could not be measured. */
  readonly value: number | undefined;
  /** Absent for a row that explains another one. */
  readonly goal?: number;
  readonly higherIsBetter: boolean;
  readonly unit: "%" | "us" | "ms" | "s" | "MB" | "times" | "a second";
  /** Lowest and highest of the runs; the value is their median. */
  readonly spread?: readonly [number, number];
  /** Group of the benchmark. */
  readonly group?: string;
}

/** Measures some rows. @param seconds length of one measurement under load */
export type Group = (seconds: number) => Promise<readonly Row[]>;

function isMet({ value, goal, higherIsBetter }: Row): boolean {
  if (goal === undefined) return true;
  if (value === undefined) return false;
  return higherIsBetter ? value >= goal : value <= goal;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median of several measurements, and their spread. */
export function measured(values: readonly number[]): Pick<Row, "value" | "spread"> {
  return { value: median(values), spread: [Math.min(...values), Math.max(...values)] };
}

/** A table in Markdown, for docs/speed.md. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const { name, value, spread, goal, higherIsBetter, unit, group } = row;
    const ends = spread ? ` (${spread.map(number).join(" to ")})` : "";
    return [
      name,
      goal === undefined ? "" : `${higherIsBetter ? "at least" : "at most"} ${goal} ${unit}`,
      value === undefined ? "not measured" : `${number(value)} ${unit}${ends}`,
      goal === undefined || value === undefined ? "" : isMet(row) ? "yes" : "no",
      group === undefined ? "" : `\`${group}\``,
    ];
  });
  const head = ["What", "Goal", `Node ${process.versions.node}`, "Met", "Group"];
  return [head, head.map(() => "---"), ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function number(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
