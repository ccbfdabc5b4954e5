/** Resolves when the task is done or the time in ms is over, whichever comes first. Rejects if the task rejects. */
export function waitAtMost(ms: number, task: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    task.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
