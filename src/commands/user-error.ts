/** What ends a command: an error for the person at the terminal, and the exit status that scripts read. */

/** The exit statuses of every command (README, "Commands"). */
export const EXIT = {
  done: 0,
  /** The command ran, and its answer is no: a scenario failed, no service runs, the port is in use. */
  failed: 1,
  /** A flag, an argument, a variable or a file of the caller's is wrong: nothing was done. */
  usage: 2,
  /** Nothing was played, which proves nothing. */
  nothingPlayed: 3,
} as const;

/** Something the person at the terminal can put right; the message says how. */
export class UserError extends Error {
  override readonly name = "UserError";
  constructor(
    message: string,
    readonly status: number = EXIT.failed,
  ) {
    super(message);
  }
}
