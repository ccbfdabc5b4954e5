/** Begins the line that names the longest files; test/run.mjs repeats them at the end. */
export const LONGEST = "longest: ";
const LONGEST_FILES = 5;
const COUNT_EVERY_MS = 5_000;

/** A reporter for Vitest that counts the files while a suite runs, and names the longest ones at its end. */
export default class FileCount {
  #all = 0;
  #ended = [];
  #counted = Date.now();

  onTestRunStart(files) {
    this.#all = files.length;
  }

  onTestModuleEnd(file) {
    this.#ended.push({ name: file.relativeModuleId, seconds: Math.round(file.diagnostic().duration / 1000) });
    if (Date.now() - this.#counted < COUNT_EVERY_MS) return;
    this.#counted = Date.now();
    console.log(`${this.#ended.length} of ${this.#all} files have run`);
  }

  onTestRunEnd() {
    const files = this.#ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, LONGEST_FILES);
    console.log(LONGEST + files.map(({ name, seconds }) => `${name} ${seconds} s`).join(", "));
  }
}
