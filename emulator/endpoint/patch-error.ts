/** A change that the card cannot make. The control interface answers it with 400, the kit rejects with its sentence. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}
