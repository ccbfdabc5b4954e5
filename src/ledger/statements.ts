import type { Db, RunResult, Statement } from "./sqlite.js";

type Scalar = string | number | bigint | Uint8Array | null | undefined;
/** A value for a `?`, or the values for all names, as `@uid`. */
type Value = Scalar | Readonly<Record<string, Scalar>>;

/**
 * Statements by their names. SQLite compiles each when it is first used: a start or a test uses few of a store's
 * statements, and compiling all of them took longer than opening the store.
 */
export class Statements<Name extends string> {
  private readonly compiled = new Map<Name, Statement>();

  constructor(
    private readonly db: Db,
    private readonly texts: Readonly<Record<Name, string>>,
  ) {}

  get<Row>(name: Name, ...values: Value[]): Row | undefined {
    return this.of(name)
      .pluck(false)
      .get(...values) as Row | undefined;
  }

  all<Row>(name: Name, ...values: Value[]): Row[] {
    return this.of(name)
      .pluck(false)
      .all(...values) as Row[];
  }

  /** The first column of the first row. */
  value<T>(name: Name, ...values: Value[]): T | undefined {
    return this.of(name)
      .pluck()
      .get(...values) as T | undefined;
  }

  /** The first column of all rows. */
  values<T>(name: Name, ...values: Value[]): T[] {
    return this.of(name)
      .pluck()
      .all(...values) as T[];
  }

  run(name: Name, ...values: Value[]): RunResult {
    return this.of(name).run(...values);
  }

  private of(name: Name): Statement {
    const known = this.compiled.get(name);
    if (known) return known;
    const made = this.db.prepare(this.texts[name]);
    this.compiled.set(name, made);
    return made;
  }
}
