/** Stops a command before it does anything: says where, which key and what would be right. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
}

/** Reads what the caller has named. @throws ConfigError that begins with `key`, where the caller named it */
export function at<T>(key: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${key}: ${error.message}`);
    throw error;
  }
}
