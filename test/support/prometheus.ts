/** Parses Prometheus' text format strictly, line by line. */

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const HELP = new RegExp(`^# HELP (${NAME}) \\S.*$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(
  `^((${NAME})(?:\\{${LABEL}(?:,${LABEL})*\\})?) ([+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN)$`,
);

export interface ParsedMetrics {
  /** Names with a HELP, a TYPE and a sample. */
  readonly names: ReadonlySet<string>;
  has(sample: string): boolean;
  /** @throws Error when there is no such sample */
  value(sample: string): number;
}

/** @throws Error at the first line that does not follow the format */
export function parseMetrics(text: string): ParsedMetrics {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const samples = new Map<string, number>();
  const names = new Set<string>();
  let helped: string | undefined;
  let typed: { name: string; type: string } | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, help] = HELP.exec(line) ?? [];
    const [, name, type = ""] = TYPE.exec(line) ?? [];
    const [, key, base = "", value] = SAMPLE.exec(line) ?? [];
    if (help !== undefined) helped = help;
    else if (name !== undefined && name === helped && !names.has(name)) typed = { name, type };
    else if (key !== undefined && typed && isOf(base, typed) && !samples.has(key)) {
      names.add(typed.name);
      samples.set(key, Number(value?.replace("Inf", "Infinity")));
    } else throw new Error(`not the text format: ${line}`);
  }
  return {
    names,
    has: (sample) => samples.has(sample),
    value: (sample) => {
      const value = samples.get(sample);
      if (value === undefined) throw new Error(`no sample ${sample} in\n${text}`);
      return value;
    },
  };
}

function isOf(base: string, { name, type }: { name: string; type: string }): boolean {
  return type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(base) : base === name;
}
