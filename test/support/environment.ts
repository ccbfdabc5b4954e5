/** The variables of a command under test, without those of the machine and the test suite: tillseal refuses unknown ones. */
export function environmentWith(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_"));
  return { ...Object.fromEntries(own), ...variables };
}
