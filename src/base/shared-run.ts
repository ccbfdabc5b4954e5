/** Runs a task for all who ask at about the same time. */
import { setTimeout } from "node:timers/promises";

/** Minimum ms between the end of a run and the next one. */
const PAUSE_MS = 1_000;

/**
 * Makes a function that runs the task at most once at a time, and not again within {@link PAUSE_MS}. Callers share the
 * run that is under way, or else the next one, so that each result is new.
 */
export function sharedRun<T>(task: () => Promise<T>): () => Promise<T> {
  let pause = Promise.resolve();
  let run: Promise<T> | undefined;
  return () => {
    run ??= pause.then(task).finally(() => {
      run = undefined;
      pause = setTimeout(PAUSE_MS, undefined, { ref: false });
    });
    return run;
  };
}
