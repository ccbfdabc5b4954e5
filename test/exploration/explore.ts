/** Visits every reachable world, nearest first, so that the first violation has the shortest trace. */
import type { Interner } from "./interner.js";
import { type Invariant, Violation } from "./violation.js";

/** One thing that can happen next. */
export interface Move<W> {
  /** In words for people; "" when it is not worth mentioning. */
  readonly words: string;
  /** @throws Violation */
  readonly to: () => W;
}

export interface Model<W extends object> {
  readonly starts: readonly W[];
  readonly interner: Interner;
  /** While something is under way, the first move is the undisturbed one. */
  readonly moves: (world: W) => readonly Move<W>[];
  /** Checks what must hold in every world. @throws Violation */
  readonly check: (world: W) => void;
  /** Whether nothing is under way. */
  readonly rests: (world: W) => boolean;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly violation: FoundViolation | undefined;
}

export interface FoundViolation {
  readonly invariant: Invariant;
  readonly message: string;
  readonly trace: readonly string[];
}

interface Node {
  /** -1 for a start. */
  readonly parent: number;
  /** Index of the parent's move, or of the start. */
  readonly move: number;
}

export function explore<W extends object>(model: Model<W>): Explored {
  const { interner } = model;
  const visited = new Map<number, number>();
  const nodes: Node[] = [];
  /** The next world without disturbance; -1 when it rests. */
  const undisturbed: number[] = [];
  let worlds: { readonly index: number; readonly world: W }[] = [];
  let transitions = 0;

  const visit = (world: W, parent: number, move: number, into: typeof worlds): number => {
    const id = interner.idOf(world);
    const known = visited.get(id);
    if (known !== undefined) return known;
    const index = nodes.length;
    visited.set(id, index);
    nodes.push({ parent, move });
    undisturbed.push(-1);
    into.push({ index, world });
    return index;
  };
  const result = (violation: FoundViolation | undefined): Explored => ({
    states: nodes.length,
    transitions,
    violation,
  });
  const violationAt = (error: unknown, index: number, last: string): FoundViolation => {
    const { invariant, message, way } = Violation.of(error, [last]);
    return { invariant, message, trace: [...traceTo(model, nodes, index), ...way].filter((words) => words !== "") };
  };

  for (const [i, start] of model.starts.entries()) visit(start, -1, i, worlds);
  while (worlds.length > 0) {
    const next: typeof worlds = [];
    for (const { index, world } of worlds) {
      try {
        model.check(world);
      } catch (error) {
        return result(violationAt(error, index, ""));
      }
      const moves = model.moves(world);
      for (const [i, { words, to }] of moves.entries()) {
        transitions++;
        try {
          const reached = visit(to(), index, i, next);
          if (i === 0 && !model.rests(world)) undisturbed[index] = reached;
        } catch (error) {
          return result(violationAt(error, index, words));
        }
      }
    }
    worlds = next;
  }
  const circle = circleIn(undisturbed);
  if (circle === undefined) return result(undefined);
  return result(violationAt(new Violation("ends", "it goes on for ever"), circle, ""));
}

function traceTo<W extends object>(model: Model<W>, nodes: readonly Node[], index: number): string[] {
  const path: number[] = [];
  let node = nodes[index];
  for (; node && node.parent >= 0; node = nodes[node.parent]) path.unshift(node.move);
  const start = model.starts[node?.move ?? -1];
  if (!start) throw new Error("the way has no start");
  let world = start;
  return path.map((i) => {
    const move = model.moves(world)[i];
    if (!move) throw new Error("the way back is not the way there");
    world = move.to();
    return move.words;
  });
}

/** @returns a world from which the undisturbed path never comes to rest */
function circleIn(undisturbed: readonly number[]): number | undefined {
  const seenBy = new Int32Array(undisturbed.length).fill(-1);
  for (let start = 0; start < undisturbed.length; start++) {
    let at = start;
    while (at >= 0 && seenBy[at] === -1) {
      seenBy[at] = start;
      at = undisturbed[at] ?? -1;
    }
    if (at >= 0 && seenBy[at] === start) return at;
  }
  return undefined;
}
