/** Spies on a module of Node, which named imports of it get too, until the test ends. */
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

export function useNodeSpies(): void {
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}
