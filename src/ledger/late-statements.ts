/**
 * Statements that SQLite compiles when they are first used. A start or a test uses few of a store's statements, and
 * compiling all of them took longer than opening the store.
 */
import type { Db, RunResult, Statement } from "./sqlite.js";

class LateStatement<Values extends unknown[], Row> {
  private compiled: Statement<Values, Row> | undefined;

  constructor(
    private readonly db: Db,
    private readonly sql: string,
    private readonly isPlucked = false,
  ) {}

  /** Returns a statement whose rows are only the value of their first column. */
  pluck(): LateStatement<Values, Row> {
    return new LateStatement(this.db, this.sql, true);
  }

  get(...values: Values): Row | undefined {
    return (this.compiled ?? this.compile()).get(...values);
  }

  all(...values: Values): Row[] {
    return (this.compiled ?? this.compile()).all(...values);
  }

  run(...values: Values): RunResult {
    return (this.compiled ?? this.compile()).run(...values);
  }

  private compile(): Statement<Values, Row> {
    this.compiled = this.db.prepare<Values, Row>(this.sql);
    if (this.isPlucked) this.compiled.pluck();
    return this.compiled;
  }
}

/** Prepares statements as a database does, but compiles none of them yet. */
export class LateStatements {
  constructor(private readonly db: Db) {}

  prepare<Values extends unknown[], Row = unknown>(sql: string): LateStatement<Values, Row> {
    return new LateStatement(this.db, sql);
  }
}
