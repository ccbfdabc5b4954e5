/**
 * An error for a change that is not possible. The control interface answers with 400; the kit rejects with this error.
 */
export class PatchError extends Error {
  override readonly name = "PatchError";
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
