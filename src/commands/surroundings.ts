/**
 * What surrounds a command: streams, variables, signals and the exit status. Usually that is the process. A test puts
 * its own in that place, because a process costs 15 times as much as a command.
 */
import { AsyncLocalStorage } from "node:async_hooks";

type Stream<T> = T & { readonly isTTY?: boolean };

interface Surroundings extends Pick<NodeJS.EventEmitter, "once"> {
  readonly stdin: Stream<NodeJS.ReadableStream>;
  readonly stdout: Stream<NodeJS.WritableStream>;
  readonly stderr: Stream<NodeJS.WritableStream>;
  readonly env: NodeJS.ProcessEnv;
  exitCode?: NodeJS.Process["exitCode"];
  exit(status: number): void;
}

const replaced = new AsyncLocalStorage<Surroundings>();

export function surroundings(): Surroundings {
  return replaced.getStore() ?? process;
}

export function runIn<T>(other: Surroundings, run: () => Promise<T>): Promise<T> {
  return replaced.run(other, run);
}

export function endWith(status: number): void {
  surroundings().exitCode = status;
}
