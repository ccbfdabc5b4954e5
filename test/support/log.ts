/** The log of services under test: silent, or on stderr with `TILLSEAL_TEST_LOG=debug` (CONTRIBUTING.md, "Debug a test"). */
import { destination, type Logger, pino } from "pino";

export const TEST_LOG = process.env.TILLSEAL_TEST_LOG;

export function testLog(): Logger {
  return pino({ level: TEST_LOG ?? "silent" }, destination({ dest: 2, sync: true }));
}
