import { EXIT, UserError } from "../base/user-error.js";
import type { ValuePath, WrongValue } from "../base/wrong-value.js";

/** Stops a command before it does anything. The message says which key is wrong, where it is, and what is expected. */
export class ConfigError extends UserError {
  override readonly name: string = "ConfigError";
  /** @param path of the wrong value in what was read; empty for the whole */
  constructor(
    message: string,
    readonly path: ValuePath = [],
  ) {
    super(message, EXIT.usage);
  }
}

export function wrongContent(wrong: readonly WrongValue[]): ConfigError {
  return new ConfigError(wrong.map(({ says }) => says).join("; "), wrong[0]?.path);
}

/** Adds the name of the source, and the path of the value that is read, to a ConfigError of `read`. */
export function at<T>(source: string, read: () => T, ...path: ValuePath): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${source}: ${error.message}`, [...path, ...error.path]);
    throw error;
  }
}
