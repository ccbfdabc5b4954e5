import { EXIT, UserError } from "../base/user-error.js";

/** Stops a command before it does anything. The message says which key is wrong, where it is, and what is expected. */
export class ConfigError extends UserError {
  override readonly name: string = "ConfigError";
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}

/** Returns what `read` returns. @throws ConfigError that begins with `key` if `read` throws a ConfigError */
export function at<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${key}: ${error.message}`);
    throw error;
  }
}
