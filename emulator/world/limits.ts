/** The limits of a world: what it keeps, and the files that it reads. */
import { refused } from "../../src/http/limits.js";
import { tooManyValues } from "../../src/schema/validator.js";
import { MOST_FAULTS } from "../faults/fault-list.js";

const MIB = 1024 * 1024;

export const EMULATOR_LIMITS = {
  faults: MOST_FAULTS,
  cards: refused(16, "16", "other cards of a `given`", "otherCards must have at most 16 entries"),
  snapshots: refused(
    20,
    "20",
    "snapshots",
    "There are 20 snapshots already; use an existing name to replace that snapshot",
  ),
  snapshotBytes: refused(
    256 * MIB,
    "256 MiB",
    "stores in all snapshots",
    "The stores of all snapshots would be larger than 256 MiB; use an existing name to replace that snapshot",
  ),
  snapshotFile: refused(64 * MIB, "64 MiB", "the file of a snapshot", "The file of a snapshot has at most 64 MiB"),
  snapshotUnpacked: refused(
    128 * MIB,
    "128 MiB",
    "the file of a snapshot, unpacked",
    "The file of a snapshot has at most 128 MiB when it is unpacked",
  ),
  scenarioValues: refused(200_000, "200,000", "values of a scenario in all its cases", `it ${tooManyValues(200_000)}`),
  snapshotValues: refused(200_000, "200,000", "values of a snapshot", `The snapshot ${tooManyValues(200_000)}`),
};
