/** Stops a command before it does anything; the message says which key is wrong, where, and what is expected. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
}

/** Runs `read`. @throws ConfigError that begins with `key` */
export function at<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${key}: ${error.message}`);
    throw error;
  }
}
