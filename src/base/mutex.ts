/** Runs one task at a time, in the order of arrival. */
export class Mutex {
  private tail: Promise<unknown> = Promise.resolve();
  private tasks = 0;

  /** Whether a task runs or waits. */
  get busy(): boolean {
    return this.tasks > 0;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.tasks++;
    const result = this.tail.then(task).finally(() => {
      this.tasks--;
    });
    this.tail = result.catch(() => undefined);
    return result;
  }
}
