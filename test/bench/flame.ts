/** The samples of V8's profiler, summed by caller. */

export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds, on the clock of `process.hrtime`. */
  readonly startTime: number;
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export interface Frame {
  readonly name: string;
  /** Microseconds, callees included. */
  readonly time: number;
  readonly callees: readonly Frame[];
}

/** The tree of a profile, without idle time. */
export function treeOf({ nodes, samples, timeDeltas }: Profile): Frame {
  const own = new Map<number, number>();
  for (const [i, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[i] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const frameOf = (id: number): Frame => {
    const node = byId.get(id);
    const { functionName = "", url = "", lineNumber = 0 } = node?.callFrame ?? {};
    const callees = (node?.children ?? []).map(frameOf).filter(({ name }) => name !== "(idle)");
    const place = url === "" ? "" : ` ${url.replace(/^.*\/(?=dist\/|node_modules\/)/, "")}:${lineNumber + 1}`;
    const time = (own.get(id) ?? 0) + callees.reduce((sum, callee) => sum + callee.time, 0);
    return { name: (functionName || "(anonymous)") + place, time, callees };
  };
  return frameOf(nodes[0]?.id ?? 0);
}
