/**
 * The rooms of the house from the ground up: the folders directly under src/ and emulator/, and the files on the roof. A room may
 * import only rooms before it in this list. docs/architecture.md prints the same list from the roof down.
 */
export const ROOMS: readonly string[] = [
  "src/base",
  "src/fiscal",
  "src/schema",
  "src/ledger",
  "src/secure-element",
  "src/config",
  "src/fiscalizer",
  "src/authority",
  "src/state",
  "src/bookkeeping",
  "src/http",
  "src/console",
  "src/doctor",
  "src/client",
  "src/service",
  "src/commands",
  "src/cli.ts",
  "emulator/pki",
  "emulator/endpoint",
  "emulator/sample",
  "emulator/card",
  "emulator/tax-authority",
  "emulator/vsdc",
  "emulator/faults",
  "emulator/world",
  "emulator/scenario",
  "emulator/rehearse",
  "emulator/control",
  "emulator/vpcd",
  "emulator/conformance",
  "emulator/proxy",
  "emulator/cli",
  "emulator/mcp",
  "emulator/console",
  "emulator/testkit.ts",
  "emulator/testcontainers.ts",
  "emulator/index.ts",
];

/** @param file relative to the root, such as `src/http/app.ts` */
export function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}
