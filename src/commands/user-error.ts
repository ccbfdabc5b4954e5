/** Something the person at the terminal can put right; the message says how. */
export class UserError extends Error {
  override readonly name = "UserError";
}
