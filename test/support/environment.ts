/** The variables of a command under test: none of the machine or of the test suite, because it refuses those that it does not know. */
export function environmentWith(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_"));
  return { ...Object.fromEntries(own), ...variables };
}
