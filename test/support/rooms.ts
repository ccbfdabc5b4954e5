/**
 * The rooms of the house from the ground up: the folders directly under src/, emulator/ and harness/, and the files on the roof. A room may
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
  "emulator/card",
  "emulator/faults",
  "emulator/tax-authority",
  "emulator/vpcd",
  "emulator/world",
  "harness/scenario",
  "harness/sample",
  "harness/rehearse",
  "harness/control",
  "harness/conformance",
  "harness/proxy",
  "harness/watch",
  "harness/mcp",
  "harness/console",
  "harness/testkit.ts",
  "harness/testcontainers.ts",
  "harness/index.ts",
];

/** @param file relative to the root, such as `src/http/app.ts` */
export function roomOf(file: string): string {
  return file.split("/").slice(0, 2).join("/");
}
