/** Results of the benchmark: tillseal beside something else, measured in turns in the same run. */

export interface Row {
  readonly name: string;
  /** What stands beside tillseal. Absent for figures that only explain. */
  readonly beside?: string;
  /** Limit of the ratio. A row whose ratio moves by more than 10 % beside other work has none: NOTES.md names these. */
  readonly goal?: number;
  /** tillseal's figure in each round. */
  readonly own: readonly number[];
  /** The other side's figure in each round. */
  readonly other?: readonly number[];
  readonly unit: "us" | "ms" | "s" | "MB" | "a second";
  /** Group of the benchmark. */
  readonly group?: string;
}

export type Group = () => Promise<readonly Row[]>;
export type Figures = Required<Pick<Row, "own" | "other">>;

const ROUNDS = 5;
const SLICES = 4;

export interface Turns {
  readonly rounds?: number;
  readonly slices?: number;
}

/** Measures both sides by turns, in short slices, so that both meet the same machine. The first round is a warm-up. */
export async function inTurns(
  own: () => Promise<number>,
  other: () => Promise<number>,
  { rounds = ROUNDS, slices = SLICES }: Turns = {},
): Promise<Figures> {
  const figures = { own: [] as number[], other: [] as number[] };
  for (let round = -1; round < rounds; round++) {
    const sum = { own: 0, other: 0 };
    for (let slice = 0; slice < slices; slice++) {
      sum.other += await other();
      sum.own += await own();
    }
    if (round < 0) continue;
    figures.own.push(sum.own / slices);
    figures.other.push(sum.other / slices);
  }
  return figures;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const HEAD = ["What", "Beside", "Goal", `Times, Node ${process.versions.node}`, "Met", "Figures", "Unit", "Group"];

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** A table in Markdown, for docs/speed.md, without its head. */
export function lines(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const { name, beside = "", goal, own, other, unit, group = "" } = row;
    const ratios = other?.map((figure, round) => (own[round] ?? Number.NaN) / figure) ?? [];
    const ratio = median(ratios);
    return line([
      name,
      beside,
      goal === undefined ? "" : `at most ${goal}`,
      other ? `${number(ratio)} (${number(Math.min(...ratios))} to ${number(Math.max(...ratios))})` : "",
      goal === undefined ? "" : ratio <= goal ? "yes" : "no",
      [own, ...(other ? [other] : [])].map((figures) => number(median(figures))).join(", "),
      unit,
      `\`${group}\``,
    ]);
  });
  return cells.join("\n");
}

export const head = (): string => `${line(HEAD)}\n${line(HEAD.map(() => "---"))}`;

function number(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
