/** Errors that end a command, with a message for the user and an exit status for scripts. */

/** The exit statuses of every command (docs/commands.md, "Exit status"). */
export const EXIT = {
  done: 0,
  /** The command ran, and the result is negative: a scenario failed, no service runs, the port is in use. */
  failed: 1,
  /** A flag, argument, variable or file of the user is wrong; nothing was done. */
  usage: 2,
  /** No scenario was played, so nothing was proved. */
  nothingPlayed: 3,
} as const;

/** Error that the user can fix. The message says how. */
export class UserError extends Error {
  override readonly name: string = "UserError";
  constructor(
    message: string,
    readonly status: number = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
